import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { fire, holdSchedules } from "../../support/jobs.ts";
import { png } from "../../support/pictures.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

describe("Bodies and files of messages (workspace §2.5)", () => {
  let world: MailWorld;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
    await jobsOf(world.service.node.broker).ready();
    // The clock's polls are minutes ahead, and would be waited for.
    await holdSchedules(world.service, "workspace.mail.%");
  });
  beforeEach(async () => {
    await world.begin();
    await world.contact(CLIENT, [(await world.tenant.company()).id]);
    ann = await world.colleague();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const sweep = () => fire(world.service, "workspace.mail.bodies");
  const one = async (id: string) => (await ann.caller.get(`/interactions/${id}`)).body;
  const pending = async () => {
    await world.poll(ann);
    return (await world.moments(ann.caller, "&status=pending"))[0] as { id: string };
  };
  const fullReads = () => world.google.calls("gmail").filter((call) => /format=full|attachments/.test(call));

  it("are read once the message is approved, and not before", async () => {
    const picture = await png(8, 8);
    world.deliver(ann, {
      from: CLIENT,
      text: "Dear Ann,\n\nyes, pleasé.",
      html: "<p>Dear Ann</p>",
      files: [
        { name: "lógo.png", type: "image/png", bytes: picture },
        { name: "setup.exe", type: "application/octet-stream", bytes: Buffer.from("MZ not a file that is kept") },
      ],
    });
    const { id } = await pending();
    await sweep();
    expect(fullReads()).to.deep.equal([]);
    await ann.caller.post(`/interactions/${id}/approve`, {});
    await sweep();
    const moment = await one(id);
    expect(moment).to.deep.include({ body_text: "Dear Ann,\n\nyes, pleasé.", status: "logged" });
    const files = (await world.tenant.owner.get(`/files?entity_type=interaction&entity_id=${id}`)).body;
    expect(files.map(({ filename, size }: { filename: string; size: number }) => [filename, size])).to.deep.equal([
      ["lógo.png", picture.length],
    ]);
    const before = fullReads().length;
    await sweep();
    expect(fullReads().length).to.equal(before);
  });

  it("are read for messages logged at once, and stay away if the mailbox no longer has them", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    world.deliver(ann, { from: CLIENT, text: "Kept" });
    const gone = world.deliver(ann, { from: CLIENT, snippet: "Only this" });
    await world.poll(ann);
    world.gmail.box(ann.google).messages.delete(gone.id);
    await sweep();
    expect((await world.moments(ann.caller, "&with_body=true")).map((row) => row["body_text"])).to.have.members(["Kept", null]);
    const before = fullReads().length;
    await sweep();
    expect(fullReads().length).to.equal(before);
  });

  it("are kept without a file that Google no longer gives", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    const files = ["a.txt", "b.txt"].map((name) => ({ name, type: "text/plain", bytes: Buffer.from(name) }));
    world.deliver(ann, { from: CLIENT, text: "See the files", files });
    await world.poll(ann);
    const end = world.google.failWhen(({ path }) => path.endsWith("att-0"), GoogleSimulator.refusing(404, "notFound"));
    await sweep();
    end();
    const [moment] = await world.moments(ann.caller, "&with_body=true");
    expect(moment?.["body_text"]).to.equal("See the files");
    const kept = (await world.tenant.owner.get(`/files?entity_type=interaction&entity_id=${moment?.["id"]}`)).body;
    expect(kept.map(({ filename }: { filename: string }) => filename)).to.deep.equal(["b.txt"]);
  });

  it("are tried again by the next sweep where Google did not answer", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    world.deliver(ann, { from: CLIENT, text: "At last" });
    await world.poll(ann);
    const end = world.google.failWhen(
      ({ query }) => query.get("format") === "full",
      GoogleSimulator.refusing(400, "backendError"),
    );
    await sweep();
    end();
    expect((await world.moments(ann.caller, "&with_body=true"))[0]?.["body_text"]).to.equal(null);
    await sweep();
    expect((await world.moments(ann.caller, "&with_body=true"))[0]?.["body_text"]).to.equal("At last");
  });

  it("are at most 50 a sweep of an organisation", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    for (let n = 0; n < 60; n++) world.deliver(ann, { from: CLIENT });
    await world.poll(ann);
    await sweep();
    expect(fullReads()).to.have.length(50);
    await sweep();
    expect(fullReads()).to.have.length(60);
  });

  it("are markdown, and its words, where the message has HTML alone", async () => {
    await world.workspace.configure({ mail_approval_mode: "auto_approve" });
    world.deliver(ann, {
      from: CLIENT,
      text: null,
      html: '<p>Dear <b>Ann</b>, see <a href="https://x.example/">this</a></p><script>alert(1)</script>',
    });
    await world.poll(ann);
    await sweep();
    const [moment] = await world.moments(ann.caller, "&with_body=true");
    expect(moment?.["body_text"]).to.match(/^Dear Ann, see this/);
    expect(moment?.["body_markdown"]).to.equal("Dear Ann, see [this](https://x.example/)");
  });

  it("stay recorded for 60 days when skipped", async () => {
    await world.service.sql.query(
      `insert into workspace_mail_skips (organisation_id, connection_id, message_id, reason, created_at)
       select c.organisation_id, c.id, v.id, 'ingest_error', now() - v.age from workspace_connections c,
              (values ('old', interval '61 days'), ('new', interval '59 days')) v (id, age) where c.organisation_id = $1`,
      [world.tenant.organisation.id],
    );
    await fire(world.service, "workspace.mail.reap");
    const { rows } = await world.service.sql.query("select message_id from workspace_mail_skips where organisation_id = $1", [
      world.tenant.organisation.id,
    ]);
    expect(rows).to.deep.equal([{ message_id: "new" }]);
  });
});
