// The report of the fixture's run in Chromium, from disk and with the network off. REPORT and RESULTS name its files.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { launch, open, seriousFindings, tabStops } from "./browser.mjs";

const report = process.env.REPORT;
const results = JSON.parse(readFileSync(process.env.RESULTS, "utf8"));
let browser;
before(async () => { browser = await launch(); });
after(async () => { await browser.close(); });

const measured = (scenario) => results.cells.filter((cell) => cell.scenario === scenario && cell.status === "measured");
const scenarios = [...new Set(results.cells.map((cell) => cell.scenario))];
const close = async (page) => page.context().close();

test("the page opens from disk without an error and without the network", async () => {
  const { page, problems } = await open(browser, report);
  assert.deepEqual(problems, []);
  assert.match(await page.title(), /webseal-2007/);
  await close(page);
});

test("every chart is drawn, with a bar and a whisker for each measured cell", async () => {
  const { page } = await open(browser, report);
  for (const scenario of scenarios) {
    const bars = await page.$$eval(`[id="scenario-${scenario}"] .throughput svg`, (charts) => charts.reduce((sum, chart) => {
      const colors = [0, 1, 2, 3, 4, 5].flatMap((hue) => [0, 1, 2].map((shade) => getComputedStyle(document.documentElement).getPropertyValue(`--h${hue}-${shade}`).trim()));
      return sum + [...chart.querySelectorAll("path")].filter((path) => colors.includes(path.getAttribute("fill"))).length;
    }, 0));
    assert.equal(bars, measured(scenario).length, `bars of scenario ${scenario}`);
    assert.equal(await page.locator(`[id="cpu-${scenario}"] svg`).count(), 1, `CPU chart of scenario ${scenario}`);
  }
  assert.equal(await page.locator(".chart").count(), await page.locator(".chart svg").count());
  await close(page);
});

test("every trial is a dot", async () => {
  const { page } = await open(browser, report);
  const dots = await page.$$eval('[id="scenario-1"] .throughput svg', (charts) => {
    const ink = ["--ink", "--card"].map((name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim());
    return charts.flatMap((chart) => [...chart.querySelectorAll("path, circle")]).filter((shape) => ink.includes(shape.getAttribute("fill")) && shape.getAttribute("stroke")).length;
  });
  assert.equal(dots, [...measured("1")].reduce((sum, cell) => sum + cell.trials, 0));
  await close(page);
});

test("the tables hold the numbers of results.json", async () => {
  const { page } = await open(browser, report);
  const shown = await page.$$eval("#cells tbody tr", (rows) => rows.map((row) => ({ id: row.querySelector("code").textContent, status: row.cells[1].textContent, rate: row.cells[3]?.dataset.value })));
  assert.equal(shown.length, results.cells.length);
  for (const [i, cell] of results.cells.entries()) {
    assert.equal(shown[i].id, cell.id);
    assert.ok(shown[i].status.startsWith(cell.status));
    if (cell.status === "measured") {
      assert.equal(Number(shown[i].rate), cell.pages_per_s.median, cell.id);
    } else {
      assert.ok(shown[i].status.includes(cell.reason), cell.id);
    }
  }
  await close(page);
});

test("a claim is a row; the verdicts of one with several settings are counted in it, and listed a click away", async () => {
  const { page } = await open(browser, report);
  const ids = [...new Set(results.claims.map((claim) => claim.id))];
  assert.equal(await page.locator("table.claims > tbody > tr").count(), ids.length);
  const verdicts = await page.$$eval("#claims .verdict:not(.counted)", (all) => all.map((each) => each.classList[1]));
  assert.deepEqual(verdicts, results.claims.map((claim) => claim.verdict));
  const several = results.claims.filter((claim) => claim.of !== "");
  assert.ok(several.length > 1);
  const setting = page.locator("#claims .settings li").first();
  assert.equal(await setting.isVisible(), false);
  await page.locator("#claims summary", { hasText: "settings" }).first().click();
  assert.ok(await setting.isVisible());
  assert.ok((await setting.textContent()).includes(several[0].of.split("/")[0].split("=")[1]));
  await close(page);
});

test("the strip's band is the claim's tolerance", async () => {
  const { page } = await open(browser, report);
  const widths = await page.$$eval("#claims .strip .band", (all) => all.map((each) => Number(each.getAttribute("width"))));
  const distinct = new Set(results.claims.filter((claim) => claim.tolerance > 0 && claim.measured.n > 0).map((claim) => claim.tolerance));
  assert.equal(new Set(widths).size, distinct.size);
  await close(page);
});

test("a flagged number carries its flag in the scenario's table, its chart and the table of all cells", async () => {
  const { page } = await open(browser, report);
  const flagged = results.cells.filter((cell) => cell.flags.length > 0);
  assert.ok(flagged.length > 0);
  for (const cell of flagged) {
    assert.ok(await page.locator(`[id="scenario-${cell.scenario}"] table.throughput .flag`).count() > 0);
    assert.ok(await page.locator("#cells .flag").count() > 0);
    const text = await page.$$eval(`[id="scenario-${cell.scenario}"] .throughput svg text`, (all) => all.map((each) => each.textContent).join(" "));
    assert.match(text, /⚑/);
  }
  await close(page);
});

for (const [name, context] of Object.entries({ phone: { viewport: { width: 360, height: 780 } }, tablet: { viewport: { width: 820, height: 1100 } }, desktop: {} })) {
  test(`on a ${name} nothing runs out of the page sideways`, async () => {
    const { page, problems } = await open(browser, report, context);
    await page.$$eval("details", (all) => all.forEach((each) => { each.open = true; }));
    const [content, window] = await page.evaluate(() => [document.documentElement.scrollWidth, document.documentElement.clientWidth]);
    assert.ok(content <= window, `${content} > ${window}`);
    assert.deepEqual(problems, []);
    await close(page);
  });
}

test("charts follow the window's width", async () => {
  const { page } = await open(browser, report);
  await page.setViewportSize({ width: 420, height: 900 });
  for (const chart of [page.locator(".chart").first(), page.locator(".chart").last()]) {  // out of view they wait until they are seen
    await chart.scrollIntoViewIfNeeded();
    await page.waitForFunction((element) => { const svg = element.querySelector("svg"); return svg.clientWidth <= element.clientWidth && svg.clientWidth > 200; }, await chart.elementHandle());
  }
  await close(page);
});

// WCAG's relative luminance and contrast.
const contrast = (a, b) => {
  const luminance = (color) => color.match(/[\d.]+/g).slice(0, 3).map((c) => c / 255).map((c) => (c <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
};

for (const colorScheme of ["light", "dark"]) {
  test(`${colorScheme}: text stands out from what is behind it, charts included`, async () => {
    const { page } = await open(browser, report, { colorScheme });
    const pairs = await page.evaluate(() => {
      const behind = (element) => {
        for (let each = element; each; each = each.parentElement) {
          const color = getComputedStyle(each).backgroundColor;
          if (!/rgba\(.*, 0\)|transparent/.test(color)) { return color; }
        }
        return "rgb(255, 255, 255)";
      };
      const rgb = (color) => { const probe = document.createElement("i"); probe.style.color = color; document.body.append(probe); const value = getComputedStyle(probe).color; probe.remove(); return value; };
      const html = ["p", "li", "td", "th", "h2", "h3", "h4", "figcaption", "summary", ".flag", ".verdict", ".contents a", "small", "dt"].flatMap((selector) =>
        [...document.querySelectorAll(`${selector}`)].slice(0, 12).map((element) => [selector, getComputedStyle(element).color, behind(element)]));
      const svg = [...document.querySelectorAll(".chart svg text")].map((element) => ["svg text", rgb(element.getAttribute("fill")), behind(element.closest("figure"))]);
      return [...html, ...svg];
    });
    for (const [what, color, background] of pairs) {
      assert.ok(contrast(color, background) >= 4.5, `${what}: ${color} on ${background} is ${contrast(color, background).toFixed(2)}`);
    }
    const paper = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(contrast(paper, "rgb(0, 0, 0)") > contrast(paper, "rgb(255, 255, 255)"), colorScheme === "light");
    await close(page);
  });
}

test("charts change with the colour scheme", async () => {
  const { page } = await open(browser, report);
  const color = () => page.$eval('[id="throughput-1-0"] svg text', (text) => text.getAttribute("fill"));
  const light = await color();
  await page.emulateMedia({ colorScheme: "dark" });
  await page.waitForFunction((before) => document.querySelector('[id="throughput-1-0"] svg text').getAttribute("fill") !== before, light);
  await close(page);
});

for (const format of ["A4", "Letter"]) {
  test(`it prints on ${format}: light, with every chart whole on a page`, async () => {
    const { page } = await open(browser, report, { colorScheme: "dark" });
    const pdf = await page.pdf({ format });
    assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
    assert.ok((pdf.toString("latin1").match(/\/Type\s*\/Page\b/g) ?? []).length > 5);
    // The style sheet's margins are 14 mm above and below, 13 mm beside it; a CSS pixel is 1/96 inch.
    const pixels = (mm) => (mm / 25.4) * 96;
    const [width, height] = format === "A4" ? [210, 297] : [215.9, 279.4];
    await page.setViewportSize({ width: Math.floor(pixels(width - 26)), height: Math.floor(pixels(height - 28)) });
    await page.emulateMedia({ media: "print" });
    await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
    const found = await page.evaluate(() => ({
      wide: [...document.querySelectorAll(".chart svg")].filter((svg) => svg.getBoundingClientRect().right > document.documentElement.clientWidth + 1).length,
      tall: [...document.querySelectorAll("figure:has(.chart)")].filter((figure) => figure.getBoundingClientRect().height > innerHeight).map((figure) => figure.querySelector(".chart").id),
      whole: [...document.querySelectorAll("figure:has(.chart)")].every((figure) => getComputedStyle(figure).breakInside === "avoid"),
      paper: getComputedStyle(document.body).backgroundColor,
    }));
    assert.deepEqual(found, { wide: 0, tall: [], whole: true, paper: "rgb(255, 255, 255)" });
    await close(page);
  });
}

for (const [name, context] of Object.entries({ light: { colorScheme: "light" }, dark: { colorScheme: "dark" }, phone: { viewport: { width: 360, height: 780 } } })) {
  test(`${name}: axe-core has no serious finding`, async () => {
    const { page } = await open(browser, report, context);
    await page.$$eval("details", (all) => all.forEach((each) => { each.open = true; }));
    assert.deepEqual(await seriousFindings(page), []);
    await close(page);
  });
}

test("the keyboard reaches contents, tables, numbers and downloads, and shows where it is", async () => {
  const { page } = await open(browser, report);
  const stops = await tabStops(page, 400);
  assert.match(stops[0].text, /Skip to the summary/);
  assert.deepEqual(stops.filter((stop) => !stop.outlined).map((stop) => stop.text), []);
  for (const [what, selector] of [["a link of the contents", ".contents a"], ["a figure's numbers", "figure summary"], ["a download", ".downloads button"]]) {
    const wanted = await page.locator(selector).count();
    const names = await page.$$eval(selector, (all) => all.map((each) => (each.getAttribute("aria-label") ?? each.textContent).trim().slice(0, 80)));
    assert.ok(wanted > 0);
    assert.ok(names.every((name) => stops.some((stop) => stop.text === name)), what);
  }
  await page.locator("figure summary").first().focus();
  await page.keyboard.press("Enter");
  assert.ok(await page.locator("figure details table").first().isVisible());
  await close(page);
});

// What a click on the button saves: its name and text.
async function saved(page, button) {
  const [download] = await Promise.all([page.waitForEvent("download"), button.click()]);
  const chunks = [];
  for await (const chunk of await download.createReadStream()) {
    chunks.push(chunk);
  }
  return { name: download.suggestedFilename(), text: Buffer.concat(chunks).toString() };
}

test("each figure's chart can be saved as SVG, its numbers as CSV", async () => {
  const { page } = await open(browser, report);
  assert.equal(await page.locator(".downloads").count(), await page.locator("figure:has(.chart)").count());
  const figure = page.locator('figure:has([id="throughput-2-0"])');
  const svg = await saved(page, figure.getByRole("button", { name: "SVG" }));
  assert.equal(svg.name, "throughput-2.svg");
  const drawn = await page.evaluate((text) => {
    const parsed = new DOMParser().parseFromString(text, "image/svg+xml");
    return { error: parsed.querySelector("parsererror")?.textContent ?? "", charts: parsed.querySelectorAll("svg svg").length, label: parsed.documentElement.getAttribute("aria-label"), foreign: parsed.querySelectorAll("script, foreignObject, image").length };
  }, svg.text);
  assert.deepEqual({ ...drawn, label: "" }, { error: "", charts: await figure.locator(".chart").count(), label: "", foreign: 0 });
  assert.match(drawn.label, /^Throughput in pages a second/);
  const csv = await saved(page, figure.getByRole("button", { name: "CSV" }));
  assert.equal(csv.name, "throughput-2.csv");
  const rows = csv.text.trimEnd().split("\r\n");
  assert.equal(rows[0], "Cell,Pages/s,Interval,n,Per client,Limited by");
  assert.equal(rows.length - 1, measured("2").length);
  const rates = rows.slice(1).map((row) => Number(row.replace(/^"[^"]*",|^[^,]*,/, "").split(",")[0]));
  assert.deepEqual(rates.sort(), measured("2").map((cell) => cell.pages_per_s.median).sort());
  await close(page);
});

// Shapes of a chart that are filled with one of the style sheet's colours: where their middles are.
const marksOf = (chart, variable) => chart.evaluate((element, name) => {
  const wanted = getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [...element.querySelectorAll("svg path, svg circle, svg rect")].filter((shape) => shape.getAttribute("fill") === wanted).map((shape) => {
    const box = shape.getBoundingClientRect();
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  });
}, variable);

test("percentiles: a mark for each figure of the table, rising along a logarithmic axis", async () => {
  const { page } = await open(browser, report);
  for (const scenario of ["1", "2", "5"]) {
    const chart = page.locator(`[id="percentiles-${scenario}"]`);
    const rows = await page.$$eval(`[id="scenario-${scenario}"] table.percentiles tbody tr`, (all) => all.map((row) => [...row.cells].slice(1, 6).map((cell) => Number(cell.dataset.value ?? NaN))));
    assert.equal(rows.length, measured(scenario).length);
    const marks = await Promise.all([0, 1, 2, 3, 4].map((each) => marksOf(chart, `p${each}`)));
    marks.forEach((all, each) => assert.equal(all.length, rows.filter((row) => !Number.isNaN(row[each])).length, `percentile ${each} of scenario ${scenario}`));
    if (Number.isNaN(rows[0][2])) {
      continue;
    }
    const [p50, , p99, , longest] = marks.map((all) => all[0]);
    assert.ok(p50.x < p99.x && p99.x < longest.x && Math.abs(p50.y - longest.y) < 2);
    const expected = Math.log(rows[0][2] / rows[0][0]) / Math.log(rows[0][4] / rows[0][0]);
    assert.ok(Math.abs((p99.x - p50.x) / (longest.x - p50.x) - expected) < 0.03, "the axis is logarithmic");
  }
  assert.equal(await page.locator('[id="percentiles-3"]').count(), 0);  // no histograms there
  await close(page);
});

test("a percentile that too few exchanges lie beyond is a dash, and no mark", async () => {
  const { page } = await open(browser, report);
  const rows = await page.$$eval('[id="scenario-2"] table.percentiles tbody tr', (all) => all.map((row) => ({ p999: row.cells[4].textContent, count: Number(row.cells[6].dataset.value) })));
  assert.ok(rows.some((row) => row.count < 10_000) && rows.some((row) => row.count >= 10_000));
  rows.forEach((row) => assert.equal(row.p999 === "–", row.count < 10_000));
  await close(page);
});

const aa = "2/page=5.8KB/crypto=software/cpus=2/clients=8";  // its A/A trials have slices

test("a trial over time, by keyboard: its slices, its nodes' CPU, its flags and notes, its numbers", async () => {
  const { page, problems } = await open(browser, report);
  assert.equal(await page.locator("#trial-shown figure").count(), 0);
  const choice = page.getByLabel("Trial", { exact: true });
  const wanted = await choice.locator("option").evaluateAll((all) => all.find((each) => each.textContent.startsWith("⚑") && each.textContent.includes("A/A")).value);
  await choice.focus();
  await page.keyboard.press("ArrowDown");
  const figure = page.locator("#trial-shown figure");
  await figure.locator("figcaption b", { hasText: /^Trial 1$/ }).waitFor();
  await choice.selectOption(wanted);
  await figure.locator(".chart svg").nth(1).waitFor();
  assert.match(page.url(), new RegExp(`#trial-${wanted}$`));
  assert.match(await figure.locator("figcaption").textContent(), new RegExp(`^Trial ${wanted} over time: an A/A pair: ${aa}`));
  assert.match(await figure.locator(".remarks").textContent(), /unsettled.*higher in the second half/);
  const [rates, cpu] = [figure.locator(".chart").first(), figure.locator(".chart").last()];
  assert.equal((await marksOf(rates, "s0")).length, 5);
  assert.equal((await marksOf(rates, "s1")).length, 5);
  assert.match(await rates.getAttribute("aria-label"), /^Pages a second over the time of trial \d+: A [\d,]+ to [\d,]+; B /);
  assert.match(await cpu.getAttribute("aria-label"), /webseal 0\.7\d to 0\.8\d/);
  await figure.locator("summary").focus();
  await page.keyboard.press("Enter");
  const rows = await figure.locator("tbody tr").evaluateAll((all) => all.map((row) => [...row.cells].map((cell) => cell.textContent)));
  assert.equal(rows.length, 10);
  assert.deepEqual(rows.map((row) => row[2]).join(""), "ABABBAABBA");
  rows.forEach((row) => assert.ok(Math.abs(Number(row[4].replace(",", "")) - Number(row[3]) * 10) < 1));
  await page.getByRole("button", { name: "Next" }).press("Enter");
  await page.locator("#trial-shown figure figcaption b", { hasText: `Trial ${Number(wanted) + 1} ` }).waitFor();
  assert.deepEqual(problems, []);
  await close(page);
});

test("a click on a dot shows its trial, and back leads to the chart", async () => {
  const { page } = await open(browser, report);
  const chart = page.locator('[id="throughput-1-0"]');
  await chart.scrollIntoViewIfNeeded();
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const dots = (await marksOf(chart, "ink")).filter((dot) => dot.y > 0);
  await page.mouse.click(dots[0].x, dots[0].y);
  await page.locator("#trial-shown figure .chart svg").first().waitFor();
  const number = /#trial-(\d+)$/.exec(page.url())[1];
  assert.match(await page.locator("#trial-shown figcaption").textContent(), new RegExp(`^Trial ${number} over time: 1/page=5.8KB`));
  assert.ok(await page.evaluate(() => document.activeElement.id === "trial-shown" && document.querySelector("#trials").getBoundingClientRect().top < innerHeight));
  await page.goBack();
  assert.doesNotMatch(page.url(), /#trial/);
  await close(page);
});

test("a link to a trial shows it; one that the page has not tells how to get it", async () => {
  const { page } = await open(browser, `${report}#trial-3`);
  assert.match(await page.locator("#trial-shown figcaption").textContent(), /^Trial 3 over time/);
  await page.evaluate(() => { location.hash = "#trial-9999"; });
  const told = page.locator("#trial-absent");
  await told.waitFor();
  assert.match(await told.textContent(), /slices of trial 9999 are not in this page.*lab report fixture --trial 9999 writes it/);
  assert.equal(await page.locator("#trial-shown figure").count(), 0);
  await close(page);
});

test("a trial that is shown is downloaded and printed like the other figures, and axe-core finds nothing serious", async () => {
  const { page } = await open(browser, `${report}#trial-3`);
  const figure = page.locator("#trial-shown figure");
  await figure.locator(".chart svg").nth(1).waitFor();
  const svg = await saved(page, figure.getByRole("button", { name: "SVG" }));
  assert.equal(svg.name, "trial-3.svg");
  assert.equal((svg.text.match(/<svg/g) ?? []).length, 3);
  const csv = await saved(page, figure.getByRole("button", { name: "CSV" }));
  assert.match(csv.text, /^"Start, s","Length, s",Side,Pages,Pages\/s,/);
  await figure.locator("details").evaluate((each) => { each.open = true; });
  assert.deepEqual(await seriousFindings(page), []);
  await page.emulateMedia({ media: "print" });
  assert.ok(await figure.isVisible());
  assert.equal(await page.locator(".picker").isVisible(), false);
  await close(page);
});

test("a chart is drawn when it comes into view", async () => {
  const { page } = await open(browser, report, { drawn: false });
  const last = page.locator(".chart").last();
  assert.equal(await last.locator("svg").count(), 0);
  await last.scrollIntoViewIfNeeded();
  await last.locator("svg").waitFor();
  await close(page);
});

test("headings go down a level at a time, ids are unique, charts are named, links lead somewhere", async () => {
  const { page } = await open(browser, report);
  const found = await page.evaluate(() => {
    const ids = [...document.querySelectorAll("[id]")].map((each) => each.id);
    return {
      repeated: ids.filter((id, i) => ids.indexOf(id) !== i),
      levels: [...document.querySelectorAll("h1, h2, h3, h4")].map((each) => Number(each.tagName[1])),
      unnamed: [...document.querySelectorAll("[role=img]")].filter((each) => (each.getAttribute("aria-label") ?? "").length < 20).map((each) => each.id),
      dead: [...document.querySelectorAll("a[href^='#']")].map((each) => each.hash.slice(1)).filter((id) => !document.getElementById(id)),
      tables: [...document.querySelectorAll("table")].filter((each) => !each.caption || !each.querySelector("th[scope=col]")).length,
      language: document.documentElement.lang,
    };
  });
  assert.deepEqual(found.repeated, []);
  assert.deepEqual(found.unnamed, []);
  assert.deepEqual(found.dead, []);
  assert.equal(found.tables, 0);
  assert.equal(found.language, "en");
  found.levels.reduce((above, level) => { assert.ok(level <= above + 1, `h${level} after h${above}`); return level; }, 0);
  await close(page);
});

test("without JavaScript the tables and the text are all there", async () => {
  const { page, problems } = await open(browser, report, { javaScriptEnabled: false });
  assert.deepEqual(problems, []);
  assert.equal(await page.locator("#cells tbody tr").count(), results.cells.length);
  assert.ok(await page.locator("noscript p").first().isVisible());
  assert.match(await page.locator("#trials noscript").textContent(), /needs JavaScript.*trials\.jsonl/);
  assert.ok(await page.locator("#trials noscript p").isVisible());
  assert.equal(await page.locator(".picker").isVisible(), false);
  await close(page);
});

test("a quick profile's page stays under 2 MB", () => assert.ok(statSync(report).size < 2e6));
