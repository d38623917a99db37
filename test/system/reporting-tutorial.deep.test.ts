import { type SpawnSyncReturns, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { expect } from "chai";
import { linesOf, SHELL } from "../support/documents.ts";
import { Mailbox, relayOf } from "../support/mail/mailbox.ts";
import { cleanEnvironment, launchService, type Spawned } from "../support/process.ts";

const BETWEEN = "-----";

/** Runs lines of a shell while this process goes on: it is the mail server. */
function typedBy(lines: string, cwd: string): Promise<Pick<SpawnSyncReturns<string>, "status" | "stdout" | "stderr">> {
  return new Promise((resolve) => {
    const shell = spawn(SHELL, ["-euc", lines], { cwd, env: cleanEnvironment(), timeout: 900_000 });
    let [stdout, stderr] = ["", ""];
    shell.stdout.on("data", (part: Buffer) => (stdout += part));
    shell.stderr.on("data", (part: Buffer) => (stderr += part));
    shell.on("close", (status) => resolve({ status, stdout, stderr }));
  });
}

/** `docs/reporting.md`, typed into one terminal as a reader does, over the demo that the first start makes. */
describe("a report in five minutes", function () {
  this.timeout(400_000);
  const mailbox = new Mailbox();
  let folder: string;
  let service: Spawned | undefined;
  let typed: Awaited<ReturnType<typeof typedBy>>;
  /** What each block had printed. */
  let printed: string[];

  before(async () => {
    await mailbox.start();
    folder = mkdtempSync(path.join(tmpdir(), "kantoor-report-"));
    service = await launchService(
      {
        ...relayOf(mailbox),
        SERVICE_DATA_DIR: path.join(folder, "data"),
        SERVICE_HTTP_PORT: "0",
        SERVICE_HTTP_ADDRESS: "127.0.0.1",
        SERVICE_OUTBOUND_ALLOWED_RANGES: "127.0.0.1",
      },
      [],
      { ready: /Kantoor is ready on http:\/\/localhost:(\d+)[\s\S]*Try: / },
    );
    const names = `KEY=$(node -p "require('./data/first-run.json').api_key"); API=http://localhost:3000/api/v1; JSON='Content-Type: application/json'`;
    // Each answer on a line of its own.
    const blocks = linesOf("## A report in five minutes").map((block) => block.replaceAll(/^(?=curl)/gm, "echo; "));
    const lines = [names, ...blocks].join(`\necho; echo ${BETWEEN}\n`).replaceAll("localhost:3000", `localhost:${service.port}`);
    typed = await typedBy(lines, folder);
    printed = typed.stdout.split(`\n${BETWEEN}\n`);
  });
  after(async () => {
    await service?.stop();
    await mailbox.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  const answersOf = (block: number): ReturnType<typeof JSON.parse>[] =>
    (printed[block] ?? "")
      .split("\n")
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));
  const made = (file: string) => readFileSync(path.join(folder, "data", file));

  it("is typed to its end", () => {
    expect(typed.status, `${typed.stdout.slice(-3000)}${typed.stderr.slice(-1000)}`).to.equal(0);
    expect(printed).to.have.length(7);
  });

  it("begins with the demo's reports, of which one was sent", () => {
    const [listed, detail] = answersOf(1);
    const states = listed.items.map(({ status }: { status: string }) => status);
    expect(states).to.include.members(["ready", "sent"]);
    const keys: string[] = detail.data_snapshot.sections.map(({ key }: { key: string }) => key);
    // Whether the demo's tasks and checks are of last month depends on the day.
    expect(keys.filter((key) => !["work.done", "uptime.availability"].includes(key))).to.deep.equal([
      "reporting.summary",
      "marketing.traffic_channels",
      "marketing.search_engines",
      "marketing.rankings",
      "marketing.search_console",
      "ads.performance",
      "marketing.referral",
      "marketing.social",
      "marketing.conversions",
    ]);
    expect(detail.warnings).to.deep.equal([]);
  });

  it("prints the report with the text that was written", () => {
    expect(made("report.html").toString())
      .to.match(/^<!doctype html>/i)
      .and.to.include("<svg");
    const [answered] = answersOf(4);
    expect(answered).to.deep.include({ queued: true });
    expect(made("report.pdf").subarray(0, 5).toString()).to.equal("%PDF-");
  });

  it("mails it, and shows it on the client's page", () => {
    const [sent] = answersOf(5);
    expect([sent.status, sent.sent_to.map(({ delivery }: { delivery: string }) => delivery)]).to.deep.equal(["sent", ["sent"]]);
    const [mail] = mailbox.to("you@example.com");
    expect(Buffer.from(mail?.mail.attachments[0]?.content as ArrayBuffer).equals(made("report.pdf"))).to.equal(true);
    const [panel, tile] = answersOf(6);
    expect(panel.data.items.map(({ id }: { id: string }) => id)).to.include(sent.id);
    expect(tile).to.include({ key: "reporting.newest", format: "date" });
  });
});
