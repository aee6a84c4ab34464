// Debian's Chromium with nothing on but what a page needs; the network is off.
import { readFileSync } from "node:fs";
import { chromium } from "playwright-core";

const options = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-default-apps", "--disable-extensions", "--mute-audio", "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

const slowHost = 120_000;  // ms: Playwright's 30 s pass on a host that builds at the same time

export const launch = () => chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: options, timeout: slowHost });

// Opens the page from disk and collects what goes wrong in it.
export async function open(browser, path, context = {}) {
  const page = await (await browser.newContext({ offline: true, viewport: { width: 1280, height: 900 }, ...context })).newPage();
  page.setDefaultTimeout(slowHost);
  const problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || problems.push(`asked the network for ${request.url()}`));
  await page.goto(`file://${path}`);
  if (context.javaScriptEnabled !== false && context.drawn !== false) {  // what is drawn when it comes into view, and before printing
    await page.evaluate(() => ["beforeprint", "afterprint"].forEach((name) => dispatchEvent(new Event(name))));
  }
  return { page, problems };
}

const axe = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

// axe-core's serious and critical findings: rule, and where.
export async function seriousFindings(page) {
  await page.evaluate(axe);
  const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
  return violations.filter((each) => ["serious", "critical"].includes(each.impact)).map((each) => `${each.id}: ${each.nodes.slice(0, 3).map((node) => node.target.join(" ")).join(" · ")}`);
}

// The places that Tab goes to, in order, until it comes round: tag, id and name of each.
export async function tabStops(page, most = 200) {
  const stops = [];
  for (let i = 0; i < most; ++i) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(() => {
      const at = document.activeElement;
      const seen = at.getBoundingClientRect();
      return at === document.body ? null : { tag: at.tagName, id: at.id, text: (at.getAttribute("aria-label") ?? at.textContent).trim().slice(0, 80), outlined: getComputedStyle(at).outlineStyle !== "none", width: seen.width };
    });
    if (!stop) {
      break;
    }
    stops.push(stop);
  }
  return stops;
}
