// A report of 10,000 cells: MANY names its file. How long it takes to open is told, not judged: the host may be busy.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";

const many = process.env.MANY;
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

test("without JavaScript the numbers of 10,000 cells are all there", { skip: many ? false : "MANY is not set" }, async () => {
  const { page } = await open(browser, many, { javaScriptEnabled: false });
  assert.equal(await page.locator("table.throughput tbody tr").count(), 10_000);
  await page.context().close();
});

test("10,000 cells open, and can be read and reached", { skip: many ? false : "MANY is not set" }, async (context) => {
  const { page, problems } = await open(browser, many, { drawn: false });
  const timing = await page.evaluate(async () => {
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    const [navigation] = performance.getEntriesByType("navigation");
    return { interactive: navigation.domInteractive, loaded: navigation.loadEventEnd, painted: performance.getEntriesByName("first-contentful-paint")[0]?.startTime, now: performance.now() };
  });
  context.diagnostic(`${(statSync(many).size / 1e6).toFixed(1)} MB; ms: ${Object.entries(timing).map(([name, at]) => `${name} ${Math.round(at)}`).join(", ")}`);
  assert.deepEqual(problems, []);
  assert.equal(await page.locator("#cells tbody tr").count(), 10_000);
  await page.locator(".contents a").last().click();
  await page.waitForFunction(() => document.querySelector("#repeat").getBoundingClientRect().top < innerHeight);
  const chart = page.locator(".chart").nth(150);
  await chart.scrollIntoViewIfNeeded();
  await chart.locator("svg").waitFor();
  const numbers = page.locator("details.numbers").nth(150);
  assert.equal(await numbers.locator("table").count(), 0);
  await numbers.locator("summary").click();
  await numbers.locator("tbody tr").first().waitFor();
  assert.equal(await numbers.locator("tbody tr").count(), 100);
  await page.evaluate(() => { location.hash = "#trial-19999"; });
  await page.locator("#trial-absent", { hasText: "--trial 19999" }).waitFor();
  await page.evaluate(() => { location.hash = "#trial-1"; });
  await page.locator("#trial-shown .chart svg").first().waitFor();
  await page.context().close();
});
