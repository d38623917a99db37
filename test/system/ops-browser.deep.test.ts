import { expect } from "chai";
import type { Browser, BrowserContext, Page } from "playwright-core";
import { failed } from "../../core/outbound/provider/circuit.ts";
import { jobsOf } from "../../mixins/jobs.ts";
import { meterOf } from "../../mixins/ops/node-figures.ts";
import { service as actor } from "../../mixins/resource.ts";
import { until } from "../support/jobs.ts";
import { freePort } from "../support/ports.ts";
import { startService, type Tenant, type TestService } from "../support/service.ts";
import { launchBrowser, openContext, overflow, requireChromium, violations } from "./browser.ts";

const PASSWORD = "correct horse battery";
/** Where pictures of every page go, for a person to look at; unset: none are taken. */
const PICTURES = process.env["TEST_PICTURES"];
const looks = [
  { name: "light-wide", colorScheme: "light", viewport: { width: 1440, height: 900 } },
  { name: "dark-phone", colorScheme: "dark", viewport: { width: 360, height: 740 } },
] as const;

let isWell = false;
const proof = actor("proof.browser", {
  actions: {},
  jobs: {
    "proof.browser.sync": {
      about: "Fails until it is well",
      retry: { attempts: 1 },
      async handler() {
        if (!isWell) throw new Error("the other side answered 503 Service Unavailable");
      },
    },
  },
});

describe("the operator's pages in a browser", function () {
  this.timeout(240_000);
  let service: TestService;
  let tenant: Tenant;
  let email: string;
  let browser: Browser;
  let origin: string;
  const problems: string[] = [];

  async function deadJob(): Promise<void> {
    isWell = false;
    await service.sql.query(
      "insert into outbox (id, organisation_id, job, payload) values (gen_random_uuid(), $1, 'proof.browser.sync', $2)",
      [tenant.organisation.id, { kind: "sync", account: "01890000-0000-7000-8000-0000000000c1", note: "a text" }],
    );
    await until(
      async () =>
        (
          await service.sql.query(
            "select 1 from jobs.agenda_jobs where name = 'proof.browser.sync' and failed_at is not null and locked_at is null",
          )
        ).rowCount === 1,
    );
  }

  before(async function () {
    requireChromium(this);
    const port = String(await freePort());
    service = await startService({ SERVICE_HTTP_PORT: port, SERVICE_PUBLIC_PORT: port }, [proof]);
    tenant = await service.tenant();
    const member = await tenant.member("owner", { password: PASSWORD });
    email = member.email;
    await service.sql.query("update accounts set is_superuser = true where id = $1", [member.accountId]);
    await jobsOf(service.node.broker).ready();
    for (let failure = 0; failure < 6; failure++)
      await failed("registrar", "01890000-0000-7000-8000-0000000000d1", "timeout", 503);
    await service.sql.query(
      `insert into mails (id, organisation_id, kind, status, to_address, last_error, attempts)
       values (gen_random_uuid(), $1, 'invoice-reminder', 'failed', 'x@y.example', '550 5.1.1 mailbox unavailable', 8)`,
      [tenant.organisation.id],
    );
    const { requests, slowest } = meterOf(service.node.broker);
    const now = Date.now();
    for (let minute = 59; minute >= 0; minute--)
      for (let number = 0; number < 12 + 10 * Math.sin(minute / 6) + (minute % 7); number++)
        requests.note(
          {
            action: ["companies.list", "tasks.list", "invoices.create", "domains.find"][number % 4] as string,
            isError: minute % 13 === 0 && number === 0,
            organisation: tenant.organisation.id,
            milliseconds: 4 + ((number * 37 + minute * 11) % 90),
          },
          now - minute * 60_000,
        );
    slowest.note({
      action: "reporting.reports.list",
      requestId: null,
      ms: 412.3,
      statements: 1,
      sql: [
        "select r.id, r.title, r.created_at from reports r where r.organisation_id = $1 and r.company_id = any($2) order by r.created_at desc limit $3",
      ],
    });
    origin = `http://${tenant.host}:${port}`;
    browser = await launchBrowser();
  });
  after(async () => {
    await browser?.close();
    await service?.stop();
  });

  for (const { name, colorScheme, viewport } of looks)
    describe(name, () => {
      let context: BrowserContext;
      let page: Page;

      async function lookAt(what: string): Promise<void> {
        if (PICTURES) await page.screenshot({ path: `${PICTURES}/${name}-${what}.png`, fullPage: true });
        expect(await violations(page), what).to.deep.equal([]);
        expect(await overflow(page), `${what} is wider than the window`).to.equal(0);
      }

      before(async () => {
        context = await openContext(browser, { colorScheme, viewport });
        page = await context.newPage();
        page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
        page.on("pageerror", (error) => problems.push(error.message));
        await page.goto(`${origin}/ops`);
        await page.locator("#username").fill(email);
        await page.locator("#password").fill(PASSWORD);
        await page.keyboard.press("Enter");
        await page.waitForURL(`${origin}/ops`);
      });
      after(() => context.close());

      it("shows every page without a fault that axe finds, and no wider than the window", async () => {
        await deadJob();
        for (const what of [
          "",
          "/actions",
          "/jobs",
          "/jobs?state=dead",
          "/mails",
          "/providers",
          "/statements",
          "/organisations",
          "/nodes",
        ]) {
          await page.goto(`${origin}/ops${what}`);
          await lookAt(`ops${what.replaceAll(/\W/g, "-")}`);
        }
      });

      it("retries a dead job", async () => {
        await page.goto(`${origin}/ops/jobs?state=dead`);
        await page.locator("tbody a", { hasText: "proof.browser.sync" }).click();
        await page.locator("dl.facts").waitFor();
        await lookAt("ops-job");
        isWell = true;
        await page.getByRole("button", { name: "Retry" }).click();
        await page.waitForURL(`${origin}/ops/jobs?state=dead`);
        await until(
          async () =>
            (await service.sql.query("select 1 from jobs.agenda_jobs where name = 'proof.browser.sync'")).rowCount === 0,
        );
      });

      it("renews itself where it is scrolled to, unless it is paused", async () => {
        await page.goto(`${origin}/ops`);
        await page.evaluate("scrollTo(0, 300)");
        const shown = () => page.locator("#when time").getAttribute("datetime");
        const first = await shown();
        await until(async () => (await shown()) !== first);
        expect(await page.evaluate<number>("scrollY")).to.be.within(250, 350);
        await page.getByLabel("Pause").check();
        const paused = await shown();
        await page.waitForTimeout(6_000);
        expect(await shown()).to.equal(paused);
        await page.reload();
        expect(await page.getByLabel("Pause").isChecked()).to.equal(true);
        await page.getByLabel("Pause").uncheck();
      });
    });

  it("breaks none of its own policies on the way", () => expect(problems).to.deep.equal([]));
});
