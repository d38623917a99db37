import { spawn } from "node:child_process";
import path from "node:path";
import { expect } from "chai";

const ROOT = path.join(import.meta.dirname, "../../..");

/** A service that writes everything it can to its log and to spans, while a person connects, and calendar, files and mail are read and written. */
const SCRIPT = `
  import moleculer from "moleculer";
  import { serveDrive } from "${ROOT}/test/simulators/google/drive.ts";
  import { serveGmail } from "${ROOT}/test/simulators/google/gmail.ts";
  import { GoogleCalendar } from "${ROOT}/test/simulators/google/calendar.ts";
  import { GoogleSimulator } from "${ROOT}/test/simulators/google/google.ts";
  import { strike, until } from "${ROOT}/test/support/jobs.ts";
  import { connect, connected } from "${ROOT}/test/support/workspace.ts";
  import { startCalendars } from "${ROOT}/test/api/workspace/calendar-world.ts";

  const spans = [];
  class Kept extends moleculer.TracerExporters.Base {
    init() {}
    spanFinished(span) {
      const { name, tags, logs, error } = span;
      spans.push(JSON.stringify({ name, tags, logs, error: error && { message: error.message, stack: error.stack, data: error.data } }));
    }
  }
  const { tracing } = moleculer.ServiceBroker.defaultOptions;
  Object.assign(tracing, { enabled: true, exporter: new Kept({}) });

  const world = await startCalendars({ SERVICE_LOG_LEVEL: "trace", SERVICE_PUBLIC_SCHEME: "https" });
  const { google, service } = world;
  const [drive, gmail] = [serveDrive(google), serveGmail(google)];
  const { tenant, workspace } = await world.organisation();
  const { owner } = tenant;
  const done = [];
  const answers = [];
  const call = async (status, asking) => {
    const answer = await asking;
    if (answer.status !== status) throw new Error(answer.status + " in place of " + status + ": " + answer.text);
    done.push(status);
    answers.push(answer.text);
    return answer.body;
  };
  const company = await tenant.company();
  await call(201, owner.post("/contacts", { first_name: "Carla", email: "carla@client.example", company_ids: [company.id] }));
  const ann = await tenant.member("member");
  const person = google.state.person(ann.email);
  const calendar = google.calendar.of(person);
  calendar.put({ id: "event0", summary: "private-title-secret", start: { date: "2031-01-02" }, end: { date: "2031-01-03" } });

  // Connecting, a consent that is refused by the token endpoint in words with a secret, and a refresh.
  await connected(google, ann, { person, query: "include_mail=true" });
  await world.settle();
  google.expireAccessTokens();
  google.fail(GoogleSimulator.refusing(403, "userRateLimitExceeded"));
  await call(409, (await tenant.member("member")).post("/workspace/mail/refresh"));

  // Calendar: pulled, pushed, and a failure whose words hold the token in use.
  const channel = calendar.channels[0];
  if (!channel) throw new Error("no channel");
  calendar.put({ id: "event1", summary: "private-title-secret", start: { date: "2031-01-04" }, end: { date: "2031-01-05" } });
  await call(200, service.call("POST", "/workspace/calendar/webhook", { headers: GoogleCalendar.message(channel, "exists"), host: tenant.host }));
  await world.settle();
  const token = google.state.secrets.findLast((one) => one.startsWith("ya29."));
  google.fail({ kind: "reply", status: 404, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ error: { code: 404, message: "not with Bearer " + token, errors: [{ reason: "notFound" }] } }) });
  await call(200, service.call("POST", "/workspace/calendar/webhook", { headers: GoogleCalendar.message(channel, "exists"), host: tenant.host }));
  await world.settle();
  await call(200, ann.get("/workspace/calendar/events?date_from=2031-01-01&date_to=2031-01-31"));

  // Files: listed, made, uploaded, linked, refused.
  const root = drive.folder("Clients", { person });
  await call(200, workspace.configure({ drive_parent_folder_id: root.id, automation_connection_user_id: ann.accountId }));
  await call(200, ann.get("/workspace/drive/browse"));
  const record = { entity_type: "company", entity_id: company.id };
  await call(202, owner.post("/workspace/drive/provision", record));
  await world.settle();
  await call(201, ann.post("/workspace/drive/folders", { parent_id: root.id, name: "Plans" }));
  const { session_uri } = await call(200, ann.post("/workspace/drive/upload-session", { folder_id: root.id, name: "offer.pdf", ...record }));
  const file = drive.finish(session_uri);
  const upload = await until(async () =>
    (await service.sql.query("update jobs.agenda_jobs set next_run_at = now() where name = 'workspace.drive.link-upload' returning id")).rows[0]);
  await world.settle();
  const links = await call(200, ann.get("/workspace/drive/links?entity_type=company&entity_id=" + company.id));
  google.fail({ kind: "reply", status: 403, headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ error: { code: 403, message: "see " + session_uri + " with " + token, errors: [{ reason: "forbidden" }] } }) });
  await call(409, ann.post("/workspace/drive/links", { ...record, drive_file_id: file.id }));

  // Mail: polled, approved, its body read, looked up, searched, imported.
  const mail = (subject) => gmail.deliver(person, { from: "carla@client.example", subject, text: "private-body-secret" });
  await call(200, ann.post("/workspace/mail/refresh"));
  await service.sql.query("update workspace_mailboxes set asked_at = null");
  mail("private-subject-secret");
  await call(200, ann.post("/workspace/mail/refresh"));
  const [moment] = (await call(200, ann.get("/interactions?kind=email&status=pending"))).items;
  await call(200, ann.post("/interactions/" + moment.id + "/approve", {}));
  await strike(service, "workspace.mail.bodies");
  await world.settle();
  const { id } = mail("another subject");
  await call(200, ann.get("/workspace/mail/lookup?reference=" + id));
  await call(200, ann.get("/workspace/mail/search?subject=another"));
  await call(201, ann.post("/workspace/mail/import", { message_id: id }));

  // The end: a refusal in Google's words, and the disconnection.
  google.fail({ kind: "reply", status: 400, body: "error=" + google.state.secrets[1] });
  await call(204, ann.post("/workspace/connections/me/disconnect"));
  await world.settle();
  if (google.complaints.length > 0) throw new Error(google.complaints.join());
  const urls = [...drive.files.values()].map(({ id }) => id).flatMap((id) => ["drive.google.com/file/d/" + id, "drive.google.com/drive/folders/" + id]);
  const secrets = [...google.state.secrets, session_uri, new URL(session_uri).searchParams.get("upload_id"), channel.token,
    channel.token.split(".").at(-1)];
  const calls = google.received.map(({ path }) => path);
  const tables = ["activity", "outbox", "outside_acts", "idempotency_keys", "notification_events", "jobs.agenda_jobs", "provider_troubles",
    "workspace_connections", "workspace_calendars", "workspace_calendar_channels", "workspace_mailboxes", "workspace_mail_skips"];
  let rows = "";
  for (const table of tables) rows += JSON.stringify((await service.sql.query("select * from " + table)).rows);
  await world.stop();
  process.send({ spans, secrets, urls, links: links.map(({ drive_file_id }) => drive_file_id), file: file.id, calls,
    answers: answers.join("\\n"), rows, session_uri });
`;

/** Texts of people, which are in no log line either. */
const PRIVATE = ["private-title-secret", "private-subject-secret", "private-body-secret"];

describe("secrets of connected accounts (workspace §2.2 to §2.6)", function () {
  this.timeout(300_000);
  let log = "";
  let run: {
    spans: string[];
    secrets: string[];
    urls: string[];
    links: string[];
    file: string;
    calls: string[];
    answers: string;
    rows: string;
    session_uri: string;
  };

  before(async () => {
    const flags = ["--disable-warning=ExperimentalWarning", "--input-type=module-typescript", "--eval", SCRIPT];
    const child = spawn(process.execPath, flags, { cwd: ROOT, stdio: ["ignore", "pipe", "pipe", "ipc"] });
    for (const stream of [child.stdout, child.stderr]) stream?.setEncoding("utf8").on("data", (text: string) => (log += text));
    child.on("message", (message) => (run = message as typeof run));
    const status = await new Promise((resolve) => child.on("close", resolve));
    if (status !== 0) throw new Error(log.slice(-4000));
  });

  /** Every call of the run, as the log and the spans name it. */
  const CALLS = [
    ["google_oauth", "exchange"],
    ["google_oauth", "refresh"],
    ["google_oauth", "revoke"],
    ["google_calendar", "events.list"],
    ["google_calendar", "events.watch"],
    ["google_drive", "files.list"],
    ["google_drive", "files.create"],
    ["google_upload", "files.upload"],
    ["google_gmail", "history.list"],
    ["google_gmail", "messages.get"],
  ] as const;

  it("come from a run of every surface, of which each call is a log line and a span", () => {
    expect(run.links).to.include(run.file);
    for (const [provider, operation] of CALLS) {
      expect(log, "a log line").to.contain(`${provider} ${operation}`);
      const isOf = (span: string) => span.includes(`"provider":"${provider}"`) && span.includes(`"operation":"${operation}"`);
      expect(run.spans.some(isOf), `a span of ${provider} ${operation}`).to.equal(true);
    }
    expect(run.secrets.length).to.be.above(8);
    expect(run.urls.length).to.be.above(3);
  });

  it("are in no attribute of a span and no log line at the level trace: tokens, addresses of uploads, channels, files", () => {
    const lines = [...run.spans, ...log.split("\n")];
    for (const secret of [...run.secrets, ...run.urls])
      for (const form of new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]))
        expect(lines.filter((line) => line.includes(form))).to.deep.equal([]);
  });

  it("nor in a job, a stored row or an answer, but for the one that opens the upload", () => {
    const answers = run.answers.replace(JSON.stringify({ session_uri: run.session_uri }), "");
    expect(answers.length, "the upload is opened in one answer").to.be.below(run.answers.length);
    expect(run.rows).to.contain("drive.folder_set");
    for (const [place, text] of Object.entries({ answers, rows: run.rows }))
      for (const secret of run.secrets)
        for (const form of new Set([secret, encodeURIComponent(secret), Buffer.from(secret).toString("base64")]))
          expect(text.includes(form), `${form} in ${place}`).to.equal(false);
  });

  it("nor are titles of events, subjects and bodies of mail", () => {
    const lines = [...run.spans, ...log.split("\n")];
    for (const text of PRIVATE) expect(lines.filter((line) => line.includes(text))).to.deep.equal([]);
  });
});
