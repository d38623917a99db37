import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect } from "chai";
import { addDays, dateIn } from "../../core/calendar/calendar.ts";
import { GoogleSimulator } from "../simulators/google/google.ts";
import { linesOf, SHELL } from "../support/documents.ts";
import { until } from "../support/jobs.ts";
import { cleanEnvironment } from "../support/process.ts";
import { startService, type TestService } from "../support/service.ts";

/** `docs/workspace.md`, typed as a reader does; the test is the browser and Google. */
describe("connecting a workspace as the document has it", function () {
  this.timeout(120_000);
  const google = new GoogleSimulator();
  let service: TestService;
  before(async () => {
    await google.start();
    service = await startService(google.environment);
  });
  after(async () => {
    await service.stop();
    await google.stop();
  });

  it("leads from an OAuth client to a connection, and to its first event", async () => {
    const { owner, host } = await service.tenant();
    const client = google.state.client();
    const names = {
      KEY: owner.key,
      API: `http://${host}:${service.port}/api/v1`,
      JSON: "Content-Type: application/json",
      GOOGLE_ID: client.id,
      GOOGLE_SECRET: client.secret,
    };
    // Names of tests resolve nowhere.
    const typed = async (lines: string, more: Record<string, string> = {}): Promise<string[]> => {
      const here = lines.replaceAll("curl -s", `curl -s --connect-to ::127.0.0.1:${service.port}`);
      const { stdout } = await promisify(execFile)(SHELL, ["-euc", here], { env: { ...cleanEnvironment(), ...names, ...more } });
      return stdout.trim().split("\n");
    };
    const [configuring = "", beginning = "", comingBack = ""] = linesOf("## From an OAuth client to a connection");
    const [callback, configured] = await typed(configuring);
    expect(new URL(callback ?? "").pathname).to.equal("/api/v1/workspace/oauth/callback");
    expect(configured).to.equal("true");
    const [consent = ""] = await typed(beginning);
    const day = addDays(dateIn("Europe/Amsterdam", Date.now()), 30);
    const ann = google.state.person("ann@example.com");
    google.calendar.of(ann).put({ id: "first", summary: "Lunch", start: { date: day }, end: { date: addDays(day, 1) } });
    const back = new URL(google.consent(consent, ann));
    back.port = String(service.port);
    const [landing, mine] = await typed(comingBack, { BACK: back.href });
    expect(landing).to.match(/\/home\?workspace=connected$/);
    expect(mine).to.equal("active");
    expect((await owner.get("/workspace/connections/me")).body.connection.mail_sync_enabled).to.equal(true);
    const [reading = ""] = linesOf("## From the connection to the first event");
    const [title] = await until(async () => {
      const titles = await typed(reading, { DAY: day });
      return titles[0] === "" ? null : titles;
    });
    expect(title).to.equal("Lunch");
    expect(google.complaints).to.deep.equal([]);
  });
});
