// The live view of a run that goes on: URL is its address, RUN the run's `reports/latest` once it is over.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, seriousFindings, tabStops } from "./browser.mjs";

const url = process.env.URL_OF_VIEW;
const run = process.env.RUN;
const pictures = process.env.PICTURES;  // a folder, to look at them
const slowHost = 120_000;  // ms
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

async function open(context = {}, prepare = async () => {}) {
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 900 }, ...context })).newPage();
  page.setDefaultTimeout(slowHost);
  const problems = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  page.on("request", (request) => request.url().startsWith(url) || /^(data|blob):/.test(request.url()) || problems.push(`asked ${request.url()}`));
  await prepare(page);
  await page.goto(url);
  return { page, problems };
}

// A run as the server would tell it, with texts that would be markup if anybody took them for it.
const hostile = "<img src=x onerror=alert(1)></script><script>alert(2)</script>";
const nodes = ["client1", "client2", "db2", "tam", "was", "was-linux", "webseal"];
const cells = ["1/page=5.8KB/cpus=1/clients=8", "1/page=5.8KB/cpus=2/clients=8", "2/page=2.9MB/crypto=software/cpus=1/clients=10", hostile];
const rates = [3783, 7240, 12.4, 980];
const told = {
  lab: "local", playbook: "webseal-2007", profile: "quick", cells, nodes, trials: 40, ended: null,
  current: { number: 25, total: 40, cells: [cells[0], cells[1]], left_s: 205 },
  finished: Array.from({ length: 24 }, (_, i) => ({ number: i + 1, total: 40, flags: i % 7 === 3 ? ["noisy-host"] : [], failed: i === 10 ? `node was: ${hostile}` : "",
    sides: [{ cell: cells[i % 4], pages_per_s: rates[i % 4] * (1 + (i % 5) / 60), service_us_p99: 5075, cpu: Object.fromEntries(nodes.map((node, at) => [node, at === 6 ? 0.992 : at / 60])) }] })),
  samples: Object.fromEntries(nodes.map((node, at) => [node, Array.from({ length: 120 }, (_, t) => [t, (at === 6 ? 0.36 : at / 40) * (1 + Math.sin(t / 9 + at) / 12)])])),
  log: [...Array.from({ length: 60 }, (_, i) => `${i + 1}/40  ${cells[i % 3]}  ${rates[i % 3]} pages/s`), hostile],
};
const events = `event: state\ndata: ${JSON.stringify(told)}\n\nevent: logged\ndata: ${JSON.stringify({ line: `later: ${hostile}` })}\n\n`;
const toldByUs = (page) => page.route("**/events", (route) => route.fulfill({ contentType: "text/event-stream", body: `retry: 100000\n\n${events}` }));

test("what a run says is shown as text, and no charts are empty", async () => {
  const { page, problems } = await open({}, toldByUs);
  await page.locator("#log p", { hasText: "later: <img" }).waitFor();
  assert.equal(await page.locator("img").count(), 0);
  assert.equal(await page.locator("#cells tbody tr").count(), 4);
  assert.equal(await page.locator("#cells tbody th").last().textContent(), hostile);
  assert.equal(await page.locator("#throughput-chart circle").count(), 23);
  assert.equal(await page.locator("#throughput-chart .cross").count(), 1);
  assert.equal(await page.locator("#cpu-chart polyline").count(), nodes.length);
  assert.equal(await page.locator("#done").textContent(), "24 of 40");
  assert.match(await page.locator("#left").textContent(), /^3 min \d+ s$/);
  assert.deepEqual(problems, []);
  await page.context().close();
});

for (const [name, context] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 780 } } })) {
  test(`${name}: no serious finding, nothing runs out of the page sideways`, async () => {
    const { page } = await open(context, toldByUs);
    await page.locator("#log p", { hasText: "later" }).waitFor();
    assert.deepEqual(await seriousFindings(page), []);
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(content <= window, `${content} > ${window}`);
    if (pictures) {
      await page.screenshot({ path: `${pictures}/live-${name}.png`, fullPage: true });
    }
    await page.context().close();
  });
}

test("the keyboard reaches what scrolls, and shows where it is", async () => {
  const { page } = await open({}, toldByUs);
  await page.locator("#log p", { hasText: "later" }).waitFor();
  const stops = await tabStops(page);
  assert.match(stops[0].text, /Skip to the current trial/);
  assert.ok(stops.some((stop) => stop.id === "log"));
  assert.deepEqual(stops.filter((stop) => !stop.outlined).map((stop) => stop.text), []);
  await page.context().close();
});

test("the view follows the run and becomes its report", async () => {
  const { page, problems } = await open();
  await page.locator("#throughput-chart circle").first().waitFor({ state: "attached" });  // on a busy host trials may fail before
  assert.match(await page.locator("#done").textContent(), /^[1-9]\d* of \d+$/);
  assert.match(await page.locator("#log").textContent(), /pages\/s/);
  assert.equal(await page.locator("#title").textContent(), "webseal-2007, quick profile");
  const seen = await page.evaluate(() => document.querySelector("#cells tbody th").textContent);
  await page.locator("#summary").waitFor();
  assert.equal(await page.locator(".eyebrow").first().textContent(), "lab report");
  const results = JSON.parse(readFileSync(`${run}/results.json`, "utf8"));
  assert.ok(results.cells.some((cell) => cell.id === seen));
  assert.equal(await page.locator("#cells tbody tr").count(), results.cells.length);
  await page.locator(".chart").first().scrollIntoViewIfNeeded();
  await page.locator(".chart svg").first().waitFor();
  assert.deepEqual(problems, []);
  await page.context().close();
});
