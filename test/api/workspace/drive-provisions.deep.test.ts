import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { jobsOf } from "../../../mixins/jobs.ts";
import type { SimulatedFile } from "../../simulators/google/drive-state.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { fire, settled } from "../../support/jobs.ts";
import type { Caller } from "../../support/service.ts";
import { connected } from "../../support/workspace.ts";
import { type DriveOffice, type DriveWorld, refused, startDrive } from "./drive-world.ts";

const PROVISION = "/workspace/drive/provision";
const SWEEP = "workspace.drive.sweep";

describe("folders that are made for records (workspace §2.4)", () => {
  let world: DriveWorld;
  let office: DriveOffice;
  let owner: Caller;
  before(async () => {
    world = await startDrive();
    await jobsOf(world.service.node.broker).ready();
  });
  beforeEach(async () => {
    office = await world.office();
    owner = office.tenant.owner;
    await office.configure({ automation_connection_user_id: office.ann.accountId });
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const newCompany = async (name = "Bakker") => (await office.tenant.company({ name })).id;
  const newProject = async (values: object) => (await owner.post("/projects", { name: "Shop", ...values })).body.id as string;
  const newTask = async (values: object) => (await owner.post("/tasks", { title: "Build", ...values })).body.id as string;
  const provision = (entity_type: string, entity_id: string, who = owner) => who.post(PROVISION, { entity_type, entity_id });
  const made = async (entity_type: string, entity_id: string) => {
    expect((await provision(entity_type, entity_id)).status).to.equal(202);
    await settled(world.service);
    return rootOf(entity_type, entity_id);
  };
  const linksOf = async (entity_type: string, entity_id: string) =>
    (await owner.get(`/workspace/drive/links?entity_type=${entity_type}&entity_id=${entity_id}`)).body;
  const rootOf = async (entity_type: string, entity_id: string) => {
    const [link] = (await linksOf(entity_type, entity_id)).filter(({ is_root }: { is_root: boolean }) => is_root);
    return link && (world.drive.files.get(link.drive_file_id) as SimulatedFile);
  };
  const activity = async (entity_type: string, entity_id: string) =>
    (await owner.get(`/activity?entity_type=${entity_type}&entity_id=${entity_id}`)).body
      .filter(({ action }: { action: string }) => action.startsWith("drive."))
      .map(({ action, payload }: { action: string; payload: unknown }) => [action, payload]);
  const names = (parent: { id: string }) => world.drive.childrenOf(parent).map(({ name }) => name);
  const outstanding = async () => {
    const ofOffice = "select * from drive_provisions where organisation_id = $1 order by id";
    return (await world.service.sql.query(ofOffice, [office.tenant.organisation.id])).rows;
  };
  /** Lets the next sweep come, with everything that waits being due. */
  const sweep = async () => {
    await world.service.sql.query("update drive_provisions set due_at = now()");
    await fire(world.service, SWEEP);
  };
  const failing = (status: number, reason: string) =>
    world.google.failWhen(({ path }) => path.startsWith("/drive/"), GoogleSimulator.refusing(status, reason));
  const writes = () => world.google.calls("drive").filter((call) => call.startsWith("POST"));

  describe("POST /workspace/drive/provision", () => {
    it("makes a folder of the record's name in the organisation's, and links it as the record's own", async () => {
      const company = await newCompany("Bakker's \\ bread");
      const folder = await made("company", company);
      expect([folder?.name, folder?.parents]).to.deep.equal(["Bakker's \\ bread", [office.root.id]]);
      expect((await linksOf("company", company))[0]).to.deep.include({
        name: "Bakker's \\ bread",
        is_folder: true,
        created_by_name: null,
      });
      expect(await activity("company", company)).to.deep.equal([["drive.folder_set", { name: "Bakker's \\ bread" }]]);
      expect(await outstanding()).to.deep.equal([]);
    });

    it("makes it in the folder of the client, of a task in its project's, else its client's (trap S15)", async () => {
      const company = await newCompany();
      const client = await made("company", company);
      const project = await newProject({ company_id: company });
      const ofProject = await made("project", project);
      expect(ofProject?.parents).to.deep.equal([client?.id]);
      expect((await made("task", await newTask({ project_id: project })))?.parents).to.deep.equal([ofProject?.id]);
      expect((await made("task", await newTask({ company_id: company })))?.parents).to.deep.equal([client?.id]);
      const bare = await newProject({ company_id: company });
      expect((await made("task", await newTask({ project_id: bare })))?.parents, "a project without a folder").to.deep.equal([
        client?.id,
      ]);
      expect((await made("task", await newTask({})))?.parents, "of no client").to.deep.equal([office.root.id]);
    });

    it("looks the parent up when the job runs: a project asked for right after its client is in the client's folder", async () => {
      const company = await newCompany();
      const project = await newProject({ company_id: company });
      await provision("company", company);
      await provision("project", project);
      await settled(world.service);
      expect((await rootOf("project", project))?.parents).to.deep.equal([(await rootOf("company", company))?.id]);
    });

    it("finds a folder of that name in place of making a second one", async () => {
      const folder = world.drive.folder("Bakker", { parent: office.root });
      expect((await made("company", await newCompany()))?.id).to.equal(folder.id);
      expect(writes()).to.deep.equal([]);
    });

    it("creates a folder for each of two clients of one name", async () => {
      const [first, second] = [await made("company", await newCompany()), await made("company", await newCompany())];
      expect(first?.id).to.not.equal(second?.id);
      expect(names(office.root)).to.deep.equal(["Bakker", "Bakker"]);
    });

    it("makes one folder for 20 requests at once (trap P17)", async () => {
      const company = await newCompany();
      const answers = await Promise.all(Array.from({ length: 20 }, () => provision("company", company)));
      expect(answers.map(({ status }) => status).filter((status) => status !== 202 && status !== 409)).to.deep.equal([]);
      await settled(world.service);
      expect(names(office.root)).to.deep.equal(["Bakker"]);
      expect(await linksOf("company", company)).to.have.length(1);
    });

    it("refuses in its order", async () => {
      const { tenant, configure, ann } = office;
      const company = await newCompany();
      const bob = await tenant.member("member");
      await tenant.group("theirs", [(await tenant.company()).id], [bob.membershipId]);
      const automation = { automation_connection_user_id: ann.accountId };
      const asBob = async () => refused(await provision("company", company, bob));
      await configure({ drive_enabled: false, drive_parent_folder_id: null });
      expect(await asBob()).to.deep.equal([409, "workspace_drive_disabled"]);
      await configure({ drive_parent_folder_id: null });
      expect(await asBob()).to.deep.equal([409, "workspace_no_automation_connection"]);
      await configure({ ...automation, drive_parent_folder_id: null });
      expect(await asBob()).to.deep.equal([409, "workspace_drive_no_folder"]);
      await configure(automation);
      expect(await asBob()).to.deep.equal([404, "not_found"]);
      await made("company", company);
      expect(await asBob(), "out of the selection before its folder").to.deep.equal([404, "not_found"]);
      expect(refused(await provision("company", company))).to.deep.equal([409, "workspace_drive_folder_exists"]);
      expect(refused(await provision("company", randomUUID()))).to.deep.equal([404, "not_found"]);
      await ann.post("/workspace/connections/me/disconnect");
      expect(refused(await provision("company", await newCompany()))).to.deep.equal([409, "workspace_no_automation_connection"]);
    });

    it("works as the automation user, for any caller, on a shared drive too (trap P19)", async () => {
      const shared = world.drive.sharedDrive("Agency", office.person);
      await office.configure({
        automation_connection_user_id: office.ann.accountId,
        drive_parent_folder_id: null,
        drive_shared_drive_id: shared.id,
      });
      const folder = await made("company", await newCompany());
      expect([folder?.parents, folder?.driveId]).to.deep.equal([[shared.id], shared.id]);
      const addresses = world.google.received.filter(({ path }) => path.startsWith("/drive/"));
      expect(addresses.filter(({ query }) => query.get("supportsAllDrives") !== "true")).to.deep.equal([]);
    });

    it("leaves a record alone that has got a folder meanwhile", async () => {
      const company = await newCompany();
      const own = world.drive.folder("by hand", { parent: office.root });
      const mend = failing(403, "insufficientFilePermissions");
      await provision("company", company);
      await settled(world.service);
      expect(await outstanding()).to.have.length(1);
      mend();
      await world.service.sql.query(
        "insert into drive_links (id, organisation_id, company_id, drive_file_id, drive_url, name, is_folder, is_root) values (gen_random_uuid(), $1, $2, $3, 'x', 'by hand', true, true)",
        [office.tenant.organisation.id, company, own.id],
      );
      await sweep();
      expect([(await rootOf("company", company))?.id, await outstanding(), names(office.root)]).to.deep.equal([
        own.id,
        [],
        ["by hand"],
      ]);
    });
  });

  describe("attempts", () => {
    it("tries five times, swept every five minutes, then says so in the trail; asked again it counts from the start", async () => {
      const company = await newCompany();
      const mend = failing(403, "insufficientFilePermissions");
      await provision("company", company);
      await settled(world.service);
      for (let attempt = 1; attempt < 5; attempt++) {
        expect((await outstanding())[0]).to.deep.include({ state: "waiting", attempts: attempt });
        await sweep();
      }
      expect((await outstanding())[0]).to.deep.include({
        state: "failed",
        attempts: 5,
        last_error: "HTTP 403 (insufficientFilePermissions): insufficientFilePermissions",
      });
      expect(await activity("company", company)).to.deep.equal([["drive.provision_failed", { name: "Bakker" }]]);
      const before = world.google.calls("drive").length;
      await sweep();
      expect(world.google.calls("drive").length, "given up").to.equal(before);
      mend();
      expect(await made("company", company)).to.not.equal(undefined);
    });

    it("counts no attempt while Google limits calls (changed)", async () => {
      const mend = failing(403, "userRateLimitExceeded");
      const company = await newCompany();
      await provision("company", company);
      await settled(world.service);
      await sweep();
      expect((await outstanding())[0]).to.deep.include({ state: "waiting", attempts: 0 });
      mend();
      await sweep();
      expect((await rootOf("company", company))?.name).to.equal("Bakker");
    });

    it("waits while the automation connection is broken, ended or does not cover files", async () => {
      const { ann, person } = office;
      const company = await newCompany();
      world.google.revoke(person);
      world.google.expireAccessTokens();
      await provision("company", company);
      await settled(world.service);
      await sweep();
      expect((await outstanding())[0]).to.deep.include({ state: "waiting", attempts: 0 });
      await connected(world.google, ann, { person, without: [SCOPE.drive] });
      await sweep();
      expect((await outstanding())[0]).to.deep.include({ state: "waiting", attempts: 0 });
      expect(writes()).to.deep.equal([]);
      await connected(world.google, ann, { person });
      await sweep();
      expect((await rootOf("company", company))?.name).to.equal("Bakker");
    });

    it("makes no second folder after a lost answer, though the first is not listed yet (trap P18)", async () => {
      const company = await newCompany();
      const mend = world.google.failWhen(({ method, path }) => method === "POST" && path === "/drive/v3/files", { kind: "lose" });
      world.drive.lags = true;
      await provision("company", company);
      await settled(world.service);
      mend();
      await sweep();
      expect(names(office.root)).to.deep.equal(["Bakker"]);
      expect(await rootOf("company", company)).to.equal(undefined);
      world.drive.catchUp();
      await sweep();
      expect([(await rootOf("company", company))?.name, names(office.root)]).to.deep.equal(["Bakker", ["Bakker"]]);
    });
  });

  describe("the template of clients", () => {
    const withTemplate = async () => {
      const template = world.drive.folder("Template", { parent: office.root });
      await office.configure({
        automation_connection_user_id: office.ann.accountId,
        drive_template_folder_id: template.id,
      });
      return template;
    };
    const tree = (folder: { id: string }): unknown =>
      Object.fromEntries(
        world.drive
          .childrenOf(folder)
          .map((one) => [one.name, one.mimeType.endsWith("folder") ? tree(one) : "file"])
          .toSorted(([a], [b]) => (String(a) < String(b) ? -1 : 1)),
      );

    it("is copied three levels deep into folders of clients alone", async () => {
      const template = await withTemplate();
      world.drive.file("readme", { parent: template });
      const one = world.drive.folder("1", { parent: template });
      const two = world.drive.folder("2", { parent: one });
      const three = world.drive.folder("3", { parent: two });
      world.drive.file("deep", { parent: two });
      world.drive.file("too deep", { parent: three });
      const company = await newCompany();
      const folder = (await made("company", company)) as SimulatedFile;
      expect(tree(folder)).to.deep.equal({ readme: "file", "1": { "2": { "3": {}, deep: "file" } } });
      const ofProject = (await made("project", await newProject({ company_id: company }))) as SimulatedFile;
      expect(tree(ofProject)).to.deep.equal({});
      expect(await activity("company", company)).to.deep.equal([["drive.folder_set", { name: "Bakker" }]]);
    });

    it("keeps items of equal names apart, and matches a found folder's items by name and type", async () => {
      const template = await withTemplate();
      for (const name of ["same", "same", "there"]) world.drive.file(name, { parent: template });
      const folder = world.drive.folder("Bakker", { parent: office.root });
      world.drive.file("there", { parent: folder });
      await made("company", await newCompany());
      expect(names(folder).toSorted()).to.deep.equal(["same", "same", "there"]);
    });

    it("is cut after 100 items, and passes over what may not be copied; the trail says both", async () => {
      const template = await withTemplate();
      for (let n = 0; n < 104; n++)
        world.drive.file(`file ${String(n).padStart(3, "0")}`, { parent: template, isCopyable: n !== 3 });
      const company = await newCompany();
      const folder = (await made("company", company)) as SimulatedFile;
      expect(names(folder)).to.have.length(99);
      expect(await activity("company", company)).to.deep.include.members([
        ["drive.template_incomplete", { name: "Bakker", copied: 99, refused: 1, cut: true }],
      ]);
      expect(await outstanding()).to.deep.equal([]);
    });

    it("continues where it was, with one copy of each item, after any lost answer", async () => {
      const template = await withTemplate();
      world.drive.file("a", { parent: world.drive.folder("in a", { parent: template }) });
      world.drive.file("b", { parent: template });
      const company = await newCompany();
      world.drive.lags = true;
      // Every write loses its answer once.
      const lost = new Set<string>();
      const mend = world.google.failWhen(
        ({ method, path, body }) => {
          if (method !== "POST" || !path.startsWith("/drive/") || lost.has(body)) return false;
          lost.add(body);
          return true;
        },
        { kind: "lose" },
      );
      await provision("company", company);
      await settled(world.service);
      for (let n = 0; n < 5; n++) {
        await sweep();
        world.drive.catchUp();
        world.drive.lags = true;
      }
      mend();
      const folder = (await rootOf("company", company)) as SimulatedFile;
      expect(tree(folder)).to.deep.equal({ b: "file", "in a": { a: "file" } });
      expect([lost.size, names(office.root), await outstanding()]).to.deep.equal([4, ["Template", "Bakker"], []]);
    });

    it("may be asked for again where it failed after the folder was linked", async () => {
      const template = await withTemplate();
      world.drive.file("a", { parent: template });
      const company = await newCompany();
      const mend = world.google.failWhen(({ path }) => path.endsWith("/copy"), GoogleSimulator.refusing(500, "backendError"));
      await provision("company", company);
      await settled(world.service);
      for (let n = 0; n < 5; n++) {
        await world.service.sql.query("update drive_creations set asked_at = asked_at - interval '61 seconds'");
        await sweep();
      }
      expect((await outstanding())[0]).to.deep.include({ state: "failed" });
      mend();
      await world.service.sql.query("update drive_creations set asked_at = asked_at - interval '61 seconds'");
      expect(tree((await made("company", company)) as SimulatedFile)).to.deep.equal({ a: "file" });
      expect(refused(await provision("company", company))).to.deep.equal([409, "workspace_drive_folder_exists"]);
    });
  });

  describe("POST /workspace/drive/provision-all", () => {
    const ALL = "/workspace/drive/provision-all";

    it("makes a folder for every client without one, and says how many", async () => {
      const first = await newCompany("First");
      await made("company", first);
      const others = [await newCompany("Second"), await newCompany("Third")];
      const { status, body } = await owner.post(ALL);
      expect([status, body]).to.deep.equal([200, { queued: 2 }]);
      await settled(world.service);
      for (const company of others) expect((await rootOf("company", company))?.parents).to.deep.equal([office.root.id]);
      expect(names(office.root).toSorted()).to.deep.equal(["First", "Second", "Third"]);
      expect((await owner.post(ALL)).body).to.deep.equal({ queued: 0 });
    });

    it("counts and makes those of the caller's selection alone", async () => {
      const { tenant } = office;
      const [mine, hidden] = [await newCompany("Mine"), await newCompany("Hidden")];
      const boss = await tenant.member("admin");
      await tenant.group("mine", [mine], [boss.membershipId]);
      expect((await boss.post(ALL)).body).to.deep.equal({ queued: 1 });
      await settled(world.service);
      expect([(await rootOf("company", mine))?.name, await rootOf("company", hidden)]).to.deep.equal(["Mine", undefined]);
    });

    it("refuses as provision does, and those who do not manage the settings", async () => {
      const { ann, configure } = office;
      expect(refused(await ann.post(ALL))).to.deep.equal([403, "forbidden"]);
      await configure({ automation_connection_user_id: ann.accountId, drive_parent_folder_id: null });
      expect(refused(await owner.post(ALL))).to.deep.equal([409, "workspace_drive_no_folder"]);
      await configure({ drive_parent_folder_id: null });
      expect(refused(await owner.post(ALL))).to.deep.equal([409, "workspace_no_automation_connection"]);
      await configure({ drive_enabled: false });
      expect(refused(await owner.post(ALL))).to.deep.equal([409, "workspace_drive_disabled"]);
    });
  });

  describe("automatic folders", () => {
    const automatic = (values: object = {}) =>
      office.configure({ automation_connection_user_id: office.ann.accountId, drive_auto_provision: true, ...values });

    it("are made for new clients and projects, never for tasks", async () => {
      await automatic();
      const company = await newCompany();
      const project = await newProject({ company_id: company });
      const task = await newTask({ project_id: project });
      await settled(world.service);
      const client = await rootOf("company", company);
      expect(client?.parents).to.deep.equal([office.root.id]);
      expect((await rootOf("project", project))?.parents).to.deep.equal([client?.id]);
      expect(await linksOf("task", task)).to.deep.equal([]);
    });

    it("are created on the shared drive without a parent folder, as by the button (trap S16)", async () => {
      const shared = world.drive.sharedDrive("Agency", office.person);
      await automatic({ drive_parent_folder_id: null, drive_shared_drive_id: shared.id });
      const company = await newCompany();
      await settled(world.service);
      expect((await rootOf("company", company))?.parents).to.deep.equal([shared.id]);
    });

    for (const [what, values] of [
      ["they are switched off", { drive_auto_provision: false }],
      ["files are switched off", { drive_enabled: false }],
      ["nobody's connection is named", { automation_connection_user_id: null }],
      ["no root is set", { drive_parent_folder_id: null }],
    ] as const)
      it(`are not made while ${what}`, async () => {
        await automatic(values);
        await newCompany();
        await settled(world.service);
        expect([await outstanding(), writes()]).to.deep.equal([[], []]);
      });
  });
});
