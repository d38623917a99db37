import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import type { Caller } from "../../support/service.ts";
import { connected } from "../../support/workspace.ts";
import { type DriveOffice, type DriveWorld, refused, startDrive } from "./drive-world.ts";

const LINKS = "/workspace/drive/links";
const FOLDER = "/workspace/drive/folder";

describe("links of records to files at Google (workspace §2.4)", () => {
  let world: DriveWorld;
  let office: DriveOffice;
  let company: string;
  let project: string;
  let task: string;
  before(async () => {
    world = await startDrive();
  });
  beforeEach(async () => {
    office = await world.office();
    const { owner } = office.tenant;
    company = (await office.tenant.company()).id;
    project = (await owner.post("/projects", { name: "Shop", company_id: company })).body.id;
    task = (await owner.post("/tasks", { title: "Build", project_id: project })).body.id;
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const calls = () => world.google.calls("drive").length;
  const link = (who: Caller, entity_type: string, entity_id: string, drive_file_id: string) =>
    who.post(LINKS, { entity_type, entity_id, drive_file_id });
  const list = async (who: Caller, entity_type: string, entity_id: string, more = "") =>
    (await who.get(`${LINKS}?entity_type=${entity_type}&entity_id=${entity_id}${more}`)).body;
  const ids = async (...asked: Parameters<typeof list>) =>
    (await list(...asked)).map(({ drive_file_id }: { drive_file_id: string }) => drive_file_id);
  const activity = async (entity_type: string, entity_id: string) => {
    const { body } = await office.tenant.owner.get(`/activity?entity_type=${entity_type}&entity_id=${entity_id}`);
    return body
      .filter(({ action }: { action: string }) => action.startsWith("drive."))
      .map(({ action, payload }: { action: string; payload: unknown }) => [action, payload]);
  };
  /** A member who sees the given clients alone, with an account at Google that reads the root. */
  const restricted = async (...companies: string[]) => {
    const bob = await office.tenant.member("member");
    await office.tenant.group("theirs", companies, [bob.membershipId]);
    const person = await connected(world.google, bob);
    office.root.readers.add(person.subject);
    return bob;
  };
  const admin = async () => {
    const who = await office.tenant.member("admin");
    const person = await connected(world.google, who);
    office.root.readers.add(person.subject);
    return who;
  };

  describe("POST /workspace/drive/links", () => {
    it("links a file as Google describes it", async () => {
      const { ann, root } = office;
      const file = world.drive.file("offer.pdf", { parent: root, mimeType: "application/pdf" });
      const { status, body } = await link(ann, "project", project, file.id);
      expect(status).to.equal(201);
      const { id, created_by_name, ...rest } = body;
      expect(rest).to.deep.equal({
        entity_type: "project",
        entity_id: project,
        drive_file_id: file.id,
        drive_url: `https://drive.google.com/file/d/${file.id}`,
        name: "offer.pdf",
        mime_type: "application/pdf",
        is_folder: false,
        is_root: false,
      });
      expect([typeof id, created_by_name]).to.deep.equal([
        "string",
        (await ann.get("/auth/me")).body.full_name ?? created_by_name,
      ]);
      expect(await list(office.tenant.owner, "project", project)).to.deep.equal([body]);
      expect(await activity("project", project)).to.deep.equal([]);
    });

    it("makes the first folder the record's own, and none after it", async () => {
      const { ann, root } = office;
      const first = world.drive.folder("First", { parent: root });
      const second = world.drive.folder("Second", { parent: root });
      expect((await link(ann, "company", company, first.id)).body).to.deep.include({ is_folder: true, is_root: true });
      expect((await link(ann, "company", company, second.id)).body).to.deep.include({ is_folder: true, is_root: false });
      expect(await activity("company", company)).to.deep.equal([["drive.folder_set", { name: "First" }]]);
    });

    it("returns an existing link, with 201, even to many parallel calls", async () => {
      const { ann, root } = office;
      const folder = world.drive.folder("Folder", { parent: root });
      const answers = await Promise.all(Array.from({ length: 8 }, () => link(ann, "task", task, folder.id)));
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id} ${body.is_root}`)).size).to.equal(1);
      expect(answers[0]?.status).to.equal(201);
      expect(await list(ann, "task", task)).to.have.length(1);
    });

    it("makes one of two folders that are linked at once the record's own", async () => {
      const { ann, root } = office;
      const folders = [1, 2, 3, 4].map((n) => world.drive.folder(`Folder ${n}`, { parent: root }));
      await Promise.all(folders.map(({ id }) => link(ann, "company", company, id)));
      const links = await list(ann, "company", company);
      expect(links.map(({ is_root }: { is_root: boolean }) => is_root)).to.deep.equal([true, false, false, false]);
    });

    it("proves by Google that the caller has access to the file", async () => {
      const hidden = world.drive.folder("not Ann's");
      expect(refused(await link(office.ann, "company", company, hidden.id))).to.deep.equal([404, "not_found"]);
      const binned = world.drive.folder("binned", { parent: office.root, trashed: true });
      expect(refused(await link(office.ann, "company", company, binned.id))).to.deep.equal([404, "not_found"]);
      expect(await list(office.ann, "company", company)).to.deep.equal([]);
    });

    it("refuses an unknown record by its field, one out of the selection by 404, before anything else", async () => {
      const { ann, tenant, root, configure } = office;
      const other = (await tenant.company()).id;
      const bob = await restricted(other);
      await configure({ drive_enabled: false });
      const before = calls();
      const unknown = [422, "validation", { entity_id: "errors.not_found" }];
      expect(refused(await link(ann, "company", randomUUID(), root.id))).to.deep.equal(unknown);
      for (const [kind, id] of [
        ["company", company],
        ["project", project],
        ["task", task],
      ] as const)
        expect(refused(await link(bob, kind, id, root.id)), kind).to.deep.equal([404, "not_found"]);
      expect(refused(await link(bob, "company", other, root.id))).to.deep.equal([409, "workspace_drive_disabled"]);
      expect(refused(await link(ann, "invoice", company, root.id))).to.deep.equal([
        422,
        "validation",
        { entity_type: "errors.validation" },
      ]);
      expect(calls()).to.equal(before);
    });

    it("refuses a caller without a connection, and distinguishes Google's refusals", async () => {
      const { ann, tenant, root } = office;
      const bob = await tenant.member("member");
      expect(refused(await link(bob, "company", company, root.id))).to.deep.equal([409, "workspace_not_connected"]);
      for (const [reason, status, code] of [
        ["SERVICE_DISABLED", 409, "workspace_drive_api_disabled"],
        ["insufficientFilePermissions", 409, "workspace_drive_forbidden"],
        ["rateLimitExceeded", 502, "workspace_drive_unavailable"],
      ] as const) {
        world.google.fail(GoogleSimulator.refusing(403, reason));
        expect(refused(await link(ann, "company", company, root.id)), reason).to.deep.equal([status, code]);
      }
    });

    it("refuses a service account, which has no account at Google", async () => {
      const robot = await office.tenant.serviceAccount(["workspace.drive.read", "workspace.drive.write"]);
      expect(refused(await link(robot, "company", company, office.root.id))).to.deep.equal([409, "workspace_not_connected"]);
      expect((await robot.get(`${LINKS}?entity_type=company&entity_id=${company}`)).body).to.deep.equal([]);
    });
  });

  describe("GET /workspace/drive/links", () => {
    it("lists the record's own folder first, then the oldest", async () => {
      const { ann, root } = office;
      const files = ["b", "a"].map((name) => world.drive.file(name, { parent: root }).id);
      for (const id of files) await link(ann, "project", project, id);
      const folder = world.drive.folder("Folder", { parent: root });
      await link(ann, "project", project, folder.id);
      expect(await ids(ann, "project", project)).to.deep.equal([folder.id, ...files]);
    });

    it("appends the links of a project's tasks to a roll-up, those of tasks that the caller does not see left out", async () => {
      const { ann, tenant, root } = office;
      const [own, ofTask, hidden] = ["own", "of the task", "of a hidden task"].map(
        (name) => world.drive.file(name, { parent: root }).id,
      );
      const elsewhere = (await tenant.company()).id;
      const other = (await tenant.owner.post("/tasks", { title: "x", project_id: project, company_id: elsewhere })).body.id;
      await link(ann, "task", task, ofTask as string);
      await link(ann, "task", other, hidden as string);
      await link(ann, "project", project, own as string);
      expect(await ids(ann, "project", project)).to.deep.equal([own]);
      expect(await ids(ann, "project", project, "&rollup=true")).to.deep.equal([own, ofTask, hidden]);
      const bob = await restricted(company);
      expect(await ids(bob, "project", project, "&rollup=true")).to.deep.equal([own, ofTask]);
      expect(await ids(ann, "company", company, "&rollup=true")).to.deep.equal([]);
    });

    it("is 404 for a record out of the selection, and empty for an id or kind that names nothing", async () => {
      const bob = await restricted((await office.tenant.company()).id);
      for (const [kind, id] of [
        ["company", company],
        ["project", project],
        ["task", task],
      ] as const)
        expect((await bob.get(`${LINKS}?entity_type=${kind}&entity_id=${id}`)).status, kind).to.equal(404);
      expect(await list(bob, "company", randomUUID())).to.deep.equal([]);
      expect(await list(bob, "invoice", company)).to.deep.equal([]);
      expect((await bob.get(`${LINKS}?entity_type=${"x".repeat(33)}&entity_id=${company}`)).status).to.equal(422);
      expect((await bob.get(`${LINKS}?entity_type=company`)).status).to.equal(422);
    });

    it("shows restricted staff records without a client, and client logins only their own", async () => {
      const { ann, tenant, root } = office;
      const loose = (await tenant.owner.post("/tasks", { title: "loose" })).body.id;
      await link(ann, "task", loose, world.drive.file("loose", { parent: root }).id);
      await link(ann, "task", task, world.drive.file("internal", { parent: root }).id);
      expect(await ids(await restricted(company), "task", loose)).to.have.length(1);
      const client = await tenant.member("client", { grants: ["workspace.drive.read"] });
      const contact = await tenant.owner.post("/contacts", { first_name: "C", email: client.email, company_ids: [company] });
      await world.service.sql.query("update contacts set account_id = $1 where id = $2", [client.accountId, contact.body.id]);
      const statusOf = async (kind: string, id: string) =>
        (await client.get(`${LINKS}?entity_type=${kind}&entity_id=${id}`)).status;
      expect([await statusOf("task", loose), await statusOf("task", task), await statusOf("company", company)]).to.deep.equal([
        404, 404, 200,
      ]);
      await tenant.owner.patch(`/tasks/${task}`, { visible_to_client: true });
      expect(await ids(client, "task", task)).to.have.length(1);
    });

    it("needs one statement, for any result", async () => {
      const { ann, root } = office;
      for (const n of [1, 2, 3]) {
        await link(ann, "project", project, world.drive.file(`own ${n}`, { parent: root }).id);
        await link(ann, "task", task, world.drive.file(`of the task ${n}`, { parent: root }).id);
      }
      const { status, body, statements } = await ann.get(`${LINKS}?entity_type=project&entity_id=${project}&rollup=true`);
      expect([status, body.length, statements]).to.deep.equal([200, 6, 1]);
    });

    it("works while files are switched off and nobody is connected, without a call", async () => {
      await link(office.ann, "company", company, office.root.id);
      await office.configure({ drive_enabled: false });
      const before = calls();
      expect(await list(office.tenant.owner, "company", company)).to.have.length(1);
      expect(calls()).to.equal(before);
    });

    it("goes with its record", async () => {
      await link(office.ann, "task", task, office.root.id);
      expect((await office.tenant.owner.delete(`/tasks/${task}`)).status).to.equal(204);
      const { rowCount } = await world.service.sql.query("select 1 from drive_links where task_id = $1", [task]);
      expect([rowCount, await list(office.tenant.owner, "task", task)]).to.deep.equal([0, []]);
    });
  });

  describe("PUT /workspace/drive/folder", () => {
    const put = (who: Caller, folder: string, kind = "company", id = company, headers = {}) =>
      who.put(FOLDER, { entity_type: kind, entity_id: id, drive_file_id: folder }, { headers });

    it("sets a record's folder, keeps it without asking Google, and replaces it for those who manage", async () => {
      const { root } = office;
      const [first, second] = ["First", "Second"].map((name) => world.drive.folder(name, { parent: root }));
      const boss = await admin();
      const set = await put(boss, first?.id as string);
      expect([set.status, set.body.is_root, set.body.name]).to.deep.equal([200, true, "First"]);
      const before = calls();
      expect((await put(office.ann, first?.id as string)).body).to.deep.equal(set.body);
      expect(calls()).to.equal(before);
      const changed = await put(boss, second?.id as string);
      expect(await list(boss, "company", company)).to.deep.equal([changed.body]);
      expect(await activity("company", company)).to.deep.equal([
        ["drive.folder_changed", { from: "First", to: "Second" }],
        ["drive.folder_set", { name: "First" }],
      ]);
    });

    it("refuses to replace it without workspace.drive.manage, before any call to Google", async () => {
      const { ann, root } = office;
      await put(ann, world.drive.folder("First", { parent: root }).id);
      const before = calls();
      expect(refused(await put(ann, world.drive.folder("Second", { parent: root }).id))).to.deep.equal([403, "forbidden"]);
      expect(calls()).to.equal(before);
    });

    it("promotes an ordinary link to the folder", async () => {
      const { root } = office;
      const [first, second] = ["First", "Second"].map((name) => world.drive.folder(name, { parent: root }).id);
      const boss = await admin();
      await link(boss, "company", company, first as string);
      const ordinary = (await link(boss, "company", company, second as string)).body;
      const { body } = await put(boss, second as string);
      expect(body).to.deep.equal({ ...ordinary, is_root: true });
      expect(await list(boss, "company", company)).to.deep.equal([body]);
    });

    it("recognises the folder by Google's id for it, where an alias is sent", async () => {
      const folder = world.drive.folder("My Drive", { parent: office.root });
      world.drive.files.set("root", folder);
      const who = await admin();
      const set = (drive_file_id: string) => who.put(FOLDER, { entity_type: "company", entity_id: company, drive_file_id });
      const { body } = await set("root");
      expect(body).to.deep.include({ drive_file_id: folder.id, is_root: true });
      const again = await set("root");
      expect([again.status, again.body]).to.deep.equal([200, body]);
      expect(await ids(who, "company", company)).to.deep.equal([folder.id]);
      expect(await activity("company", company)).to.deep.equal([["drive.folder_set", { name: "My Drive" }]]);
    });

    it("refuses a file: 422 workspace_drive_not_a_folder on drive_file_id", async () => {
      const file = world.drive.file("file", { parent: office.root });
      expect(refused(await put(office.ann, file.id))).to.deep.equal([
        422,
        "workspace_drive_not_a_folder",
        { drive_file_id: "errors.workspace_drive_not_a_folder" },
      ]);
    });

    it("compares If-Match with the folder that is replaced", async () => {
      const { root } = office;
      const [first, second] = ["First", "Second"].map((name) => world.drive.folder(name, { parent: root }).id);
      const boss = await admin();
      const { headers } = await put(boss, first as string);
      expect((await put(boss, second as string, "company", company, { "If-Match": '"7"' })).status).to.equal(412);
      const changed = await put(boss, second as string, "company", company, { "If-Match": headers.etag as string });
      expect(changed.status).to.equal(200);
    });

    it("refuses a record as links do, and files that are switched off", async () => {
      const { ann, tenant, root, configure } = office;
      const bob = await restricted((await tenant.company()).id);
      expect(refused(await put(bob, root.id))).to.deep.equal([404, "not_found"]);
      expect(refused(await put(ann, root.id, "task", randomUUID()))).to.deep.equal([
        422,
        "validation",
        { entity_id: "errors.not_found" },
      ]);
      await configure({ drive_enabled: false });
      expect(refused(await put(ann, root.id))).to.deep.equal([409, "workspace_drive_disabled"]);
    });
  });

  describe("DELETE /workspace/drive/links/{link_id}", () => {
    it("removes a link and leaves the file", async () => {
      const { ann, root } = office;
      const file = world.drive.file("file", { parent: root });
      const { id } = (await link(ann, "project", project, file.id)).body;
      const before = calls();
      expect((await ann.delete(`${LINKS}/${id}`)).status).to.equal(204);
      expect([await list(ann, "project", project), calls(), file.trashed]).to.deep.equal([[], before, false]);
      expect((await ann.delete(`${LINKS}/${id}`)).status).to.equal(404);
    });

    it("takes workspace.drive.manage for the record's own folder, and says that it was cleared", async () => {
      const { ann, tenant, root } = office;
      const { id } = (await link(ann, "company", company, root.id)).body;
      expect(refused(await ann.delete(`${LINKS}/${id}`))).to.deep.equal([403, "forbidden"]);
      expect((await tenant.owner.delete(`${LINKS}/${id}`)).status).to.equal(204);
      expect((await activity("company", company))[0]).to.deep.equal(["drive.folder_cleared", { name: "Clients" }]);
      const again = await link(ann, "company", company, root.id);
      expect(again.body.is_root).to.equal(true);
    });

    it("is 404 outside the selection, for any link, and 412 for another version", async () => {
      const { ann, tenant, root } = office;
      const { id } = (await link(ann, "task", task, root.id)).body;
      const bob = await restricted((await tenant.company()).id);
      expect((await bob.delete(`${LINKS}/${id}`)).status).to.equal(404);
      expect((await tenant.owner.delete(`${LINKS}/${id}`, { headers: { "If-Match": '"9"' } })).status).to.equal(412);
      expect((await tenant.owner.delete(`${LINKS}/${id}`, { headers: { "If-Match": '"1"' } })).status).to.equal(204);
    });
  });
});
