// Chromium logs in through the gateway's form; what it wanted before is made again, a POST with its body.
import assert from "node:assert";
import { test } from "node:test";
import { chromium } from "playwright-core";

const gateway = process.env.GATEWAY;
const slowHost = 120_000;  // ms
const args = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync",
  "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1"];

async function fillIn(page, user, password) {
  await page.getByLabel("User").fill(user);
  await page.getByLabel("Password").fill(password);
  await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Log in" }).click()]);
}

const told = async (page) => JSON.parse(await page.locator("body").innerText());
const header = (echo, wanted) => echo.headers.find(([name]) => name.toLowerCase() === wanted)?.[1] ?? "";

test("a browser logs in through the form", async () => {
  const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args, timeout: slowHost });
  try {
    const page = await (await browser.newContext({ ignoreHTTPSErrors: true })).newPage();
    page.setDefaultTimeout(slowHost);
    await page.goto(`${gateway}/echo`);
    await fillIn(page, "user000001", "wrong");
    assert.match(await page.getByRole("alert").innerText(), /User or password is wrong/);
    await fillIn(page, "user000001", "secret000001");
    assert.strictEqual(page.url(), `${gateway}/echo`);
    const echo = await told(page);
    assert.strictEqual(echo.method, "GET");
    assert.strictEqual(header(echo, "iv-user"), "user000001");
    assert.doesNotMatch(header(echo, "cookie"), /PD-S-SESSION-ID/);

    await page.goto(`${gateway}/pkmslogout`);
    await page.setContent(`<form method="post" action="${gateway}/echo"><input name="a" value="kept"><button>Send</button></form>`);
    await Promise.all([page.waitForNavigation(), page.getByRole("button", { name: "Send" }).click()]);
    await fillIn(page, "user000002", "secret000002");
    const replayed = await told(page);
    assert.strictEqual(replayed.method, "POST");
    assert.strictEqual(replayed.body_length, "a=kept".length);
    assert.strictEqual(header(replayed, "iv-user"), "user000002");
  } finally {
    await browser.close();
  }
});
