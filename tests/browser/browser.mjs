// Debian's Chromium with nothing on but what a page needs; the network is off.
import { chromium } from "playwright-core";

const options = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--disable-default-apps", "--disable-extensions", "--mute-audio", "--host-resolver-rules=MAP * ~NOTFOUND"];

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
  return { page, problems };
}
