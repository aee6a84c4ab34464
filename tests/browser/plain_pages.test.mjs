// The pages of `lab compare` and `lab runs` in Chromium, from disk and with the network off. COMPARISON, COMPARED (the same as JSON) and
// RUNS name their files.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open } from "./browser.mjs";

const pages = { comparison: process.env.COMPARISON, runs: process.env.RUNS };
const compared = JSON.parse(readFileSync(process.env.COMPARED, "utf8"));
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });
const close = async (page) => page.context().close();

test("every cell that was compared has its bars, its interval and its figures", async () => {
  const { page, problems } = await open(browser, pages.comparison);
  assert.deepEqual(problems, []);
  const rows = await page.$$eval("#throughput tbody tr", (all) => all.map((row) => ({ id: row.querySelector("code").textContent, a: Number(row.cells[2].dataset.value),
    ratio: Number(row.cells[4].dataset.value), verdict: row.querySelector(".verdict").textContent, pictures: row.querySelectorAll("svg[role=img]").length })));
  assert.deepEqual(rows.map((row) => row.id), compared.cells.map((cell) => cell.id));
  for (const [i, cell] of compared.cells.entries()) {
    assert.equal(rows[i].a, cell.throughput.a.median);
    assert.equal(rows[i].ratio, cell.throughput.ratio.value);
    assert.equal(rows[i].verdict, { "no-difference": "no difference", "cannot-tell": "cannot tell" }[cell.throughput.verdict] ?? cell.throughput.verdict);
    assert.equal(rows[i].pictures, 2);
  }
  await close(page);
});

test("a slower cell's interval is left of the line of no change, and its bar for B is the shorter one", async () => {
  const { page } = await open(browser, pages.comparison);
  const slower = compared.cells.findIndex((cell) => cell.throughput.verdict === "slower");
  const row = page.locator("#throughput tbody tr").nth(slower);
  const [dot, one, a, b] = await row.evaluate((each) => [".point", ".one", "rect.a", "rect.b"].map((what) => each.querySelector(what).getBoundingClientRect()).map((box) => [box.x, box.right]));
  assert.ok(dot[1] < one[0]);
  assert.ok(b[1] < a[1]);
  await close(page);
});

test("the page of runs links what is there and draws every cell", async () => {
  const { page, problems } = await open(browser, pages.runs);
  assert.deepEqual(problems, []);
  assert.ok(await page.locator("#runs a").count() > 0);
  assert.equal(await page.locator("svg.trend").count(), await page.locator("table.changes tbody tr").count());
  await close(page);
});

for (const [name, path] of Object.entries(pages)) {
  test(`${name}: no script, ids are unique, pictures and tables are named, links lead somewhere`, async () => {
    const { page } = await open(browser, path);
    const found = await page.evaluate(() => {
      const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
      return {
        scripts: document.scripts.length,
        repeated: ids.filter((id, i) => ids.indexOf(id) !== i),
        unnamed: [...document.querySelectorAll("[role=img]")].filter((each) => (each.getAttribute("aria-label") ?? "").length < 20).length,
        dead: [...document.querySelectorAll("a[href^='#']")].map((each) => each.hash.slice(1)).filter((id) => !document.getElementById(id)),
        tables: [...document.querySelectorAll("table")].filter((each) => !each.caption || !each.querySelector("th[scope=col]")).length,
      };
    });
    assert.deepEqual(found, { scripts: 0, repeated: [], unnamed: 0, dead: [], tables: 0 });
    await close(page);
  });

  test(`${name}: on a desktop no table is wider than its place`, async () => {
    const { page } = await open(browser, path);
    const wide = await page.$$eval(".table-scroll", (all) => all.filter((each) => each.scrollWidth > each.clientWidth + 1).map((each) => each.getAttribute("aria-label")));
    assert.deepEqual(wide, []);
    await close(page);
  });

  for (const [size, viewport] of Object.entries({ phone: { width: 360, height: 780 }, desktop: { width: 1280, height: 900 } })) {
    test(`${name}: on a ${size} nothing runs out of the page sideways`, async () => {
      const { page } = await open(browser, path, { viewport });
      const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
      assert.ok(content <= window, `${content} > ${window}`);
      await close(page);
    });
  }

  test(`${name}: it prints light, with every picture inside the paper`, async () => {
    const { page } = await open(browser, path, { colorScheme: "dark", viewport: { width: 700, height: 1000 } });
    await page.emulateMedia({ media: "print" });
    const [wide, paper] = await page.evaluate(() => [
      [...document.querySelectorAll("svg")].filter((svg) => svg.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length,
      getComputedStyle(document.body).backgroundColor]);
    assert.equal(wide, 0);
    assert.equal(paper, "rgb(255, 255, 255)");
    await close(page);
  });
}
