import { expect } from "chai";
import { jobsOf } from "../../../mixins/jobs.ts";
import { serveDrive } from "../../simulators/google/drive.ts";
import type { DriveState } from "../../simulators/google/drive-state.ts";
import type { Received } from "../../simulators/simulator.ts";
import { fire, settled } from "../../support/jobs.ts";
import { refused } from "./drive-world.ts";
import { CLIENT, type MailPerson, type MailWorld, startMail } from "./mail-world.ts";

const isToken = ({ path }: Received) => path === "/token";
const page = (status: number) =>
  ({ kind: "reply", status, headers: { "Content-Type": "text/html" }, body: "<html>proxy</html>" }) as const;

describe("A token endpoint that answers neither a token nor a refusal (workspace §2.2, §2.7)", () => {
  let world: MailWorld;
  let drive: DriveState;
  let ann: MailPerson;
  before(async () => {
    world = await startMail();
    drive = serveDrive(world.google);
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    await world.begin();
    await world.contact(CLIENT, [(await world.tenant.company()).id]);
    ann = await world.colleague();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const expire = () =>
    world.service.sql.query("update workspace_connections set access_expires_at = now() - interval '1 second'");
  const status = async () => (await ann.caller.get("/workspace/mail/status")).body;

  it("does not make a mailbox's history or a message count as gone: the next poll reads it", async () => {
    world.deliver(ann, { from: CLIENT });
    await expire();
    let end = world.google.failWhen(isToken, page(404));
    expect((await world.poll(ann)).body).to.deep.include({ status: "error", logged: 0 });
    // In the middle of a poll: the call for the message needs another token.
    end();
    world.gmail.onAnswer = ({ parts }) => {
      if (parts[2] !== "history") return;
      world.google.expireAccessTokens();
      end = world.google.failWhen(isToken, page(404));
    };
    for (let times = 0; times < 3; times++) {
      expect((await world.poll(ann)).body).to.deep.include({ status: "error", logged: 0 });
      end();
    }
    world.gmail.onAnswer = null;
    expect((await world.poll(ann)).body).to.deep.include({ status: "polled", logged: 1 });
    expect(await status()).to.deep.include({ gap_since: null, connection_error: false });
  });

  for (const code of [400, 403, 404])
    it(`is an unavailable provider, not a missing or forbidden thing, at ${code}`, async () => {
      const { id } = world.deliver(ann, { from: CLIENT });
      const root = drive.folder("Clients", { person: ann.google });
      await expire();
      const end = world.google.failWhen(isToken, page(code));
      expect(refused(await ann.caller.get(`/workspace/mail/lookup?reference=${id}`))).to.deep.equal([502, "mail_unavailable"]);
      expect(refused(await ann.caller.post("/workspace/mail/import", { message_id: id }))).to.deep.equal([
        502,
        "mail_unavailable",
      ]);
      expect(refused(await ann.caller.get(`/workspace/drive/browse?folder_id=${root.id}`))).to.deep.equal([
        502,
        "workspace_drive_unavailable",
      ]);
      end();
      expect((await ann.caller.get(`/workspace/mail/lookup?reference=${id}`)).status).to.equal(200);
    });

  it("costs a record's folder no attempt: it is made once there are tokens again", async () => {
    const root = drive.folder("Clients", { person: ann.google });
    await world.workspace.configure({
      drive_parent_folder_id: root.id,
      automation_connection_user_id: ann.caller.accountId,
    });
    await expire();
    const end = world.google.failWhen(isToken, page(404));
    const entity_id = (await world.tenant.company({ name: "Bakker" })).id;
    expect((await ann.caller.post("/workspace/drive/provision", { entity_type: "company", entity_id })).status).to.equal(202);
    await settled(world.service);
    const sweep = async () => {
      await world.service.sql.query("update drive_provisions set due_at = now()");
      await fire(world.service, "workspace.drive.sweep");
    };
    for (let times = 0; times < 5; times++) await sweep();
    expect(drive.childrenOf(root)).to.deep.equal([]);
    end();
    await sweep();
    expect(drive.childrenOf(root).map(({ name }) => name)).to.deep.equal(["Bakker"]);
  });

  it("does not make a new folder wait for one that was never requested", async () => {
    const root = drive.folder("Clients", { person: ann.google });
    let end = () => {};
    // The list is read with the old token, and creating needs another one.
    const expiring = world.google.failWhen(({ method, path }) => {
      if (method !== "POST" || path !== "/drive/v3/files") return false;
      world.google.expireAccessTokens();
      end = world.google.failWhen(isToken, page(503));
      return false;
    }, page(500));
    const make = () => ann.caller.post("/workspace/drive/folders", { parent_id: root.id, name: "Offers" });
    expect(refused(await make())).to.deep.equal([502, "workspace_drive_unavailable"]);
    expiring();
    end();
    expect((await make()).status).to.equal(201);
    expect(drive.childrenOf(root).map(({ name }) => name)).to.deep.equal(["Offers"]);
  });
});
