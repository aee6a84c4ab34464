// node screenshots.mjs REPORT FOLDER: pictures to look at when the template changes.
import { mkdirSync } from "node:fs";
import { resolve } from "node:path";
import { launch, open } from "./browser.mjs";

const [report, folder] = process.argv.slice(2).map((path) => resolve(path));
mkdirSync(folder, { recursive: true });
const browser = await launch();
for (const [name, context] of Object.entries({
  desktop: {}, dark: { colorScheme: "dark" }, phone: { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
})) {
  const { page, problems } = await open(browser, report, context);
  problems.forEach((problem) => console.error(`${name}: ${problem}`));
  await page.screenshot({ path: `${folder}/${name}.png` });
  const sections = await page.$$("main > section");
  for (const section of sections) {
    await section.screenshot({ path: `${folder}/${name}-${await section.getAttribute("id")}.png` });
  }
  if (name === "desktop") {
    await page.pdf({ path: `${folder}/report.pdf`, format: "A4", printBackground: false });
  }
}

// The README's picture: the summary, and what follows for the scenario with the most to see.
const { page } = await open(browser, report, { viewport: { width: 1280, height: 1440 } });
await page.addStyleTag({ content: '#claims, #flags, .limits, .scenario:not([id="scenario-2"]), .scenario > h3, .scenario > p:not(.eyebrow), dl.facts { display: none }' });
await page.screenshot({ path: `${folder}/readme.png` });
await browser.close();
