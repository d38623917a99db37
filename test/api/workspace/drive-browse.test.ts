import { expect } from "chai";
import { SCOPE } from "../../../mixins/google/scopes.ts";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { connected } from "../../support/workspace.ts";
import { type DriveOffice, type DriveWorld, refused, startDrive } from "./drive-world.ts";

const BROWSE = "/workspace/drive/browse";

describe("GET /workspace/drive/browse (workspace §2.4)", () => {
  let world: DriveWorld;
  let office: DriveOffice;
  before(async () => {
    world = await startDrive();
  });
  beforeEach(async () => {
    office = await world.office();
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  const calls = () => world.google.calls("drive");

  it("lists the organisation's parent folder, folders first, then by name", async () => {
    const { ann, root } = office;
    const notes = world.drive.file("notes.txt", { parent: root });
    const folder = world.drive.folder("Zebra", { parent: root });
    world.drive.file("binned", { parent: root, trashed: true });
    const { status, body } = await ann.get(BROWSE);
    expect(status).to.equal(200);
    expect(body).to.deep.equal({
      folder: { id: root.id, name: "Clients", web_view_link: `https://drive.google.com/drive/folders/${root.id}` },
      items: [
        {
          id: folder.id,
          is_folder: true,
          mime_type: "application/vnd.google-apps.folder",
          modified_at: folder.modifiedTime,
          name: "Zebra",
          size: null,
          web_view_link: `https://drive.google.com/drive/folders/${folder.id}`,
        },
        {
          id: notes.id,
          is_folder: false,
          mime_type: "text/plain",
          modified_at: notes.modifiedTime,
          name: "notes.txt",
          size: 12,
          web_view_link: `https://drive.google.com/file/d/${notes.id}`,
        },
      ],
      query: null,
      truncated: false,
    });
  });

  it("asks with supportsAllDrives, for one page of 100, without following the next one", async () => {
    for (let at = 0; at < 101; at++) world.drive.file(`file ${at}`, { parent: office.root });
    const { body } = await office.ann.get(BROWSE);
    expect([body.items.length, body.truncated]).to.deep.equal([100, true]);
    const [get, list, ...more] = world.google.received.filter(({ path }) => path.startsWith("/drive/"));
    expect(more).to.deep.equal([]);
    expect(get?.query.get("supportsAllDrives")).to.equal("true");
    const asked = Object.fromEntries(list?.query ?? []);
    expect(asked).to.deep.include({
      q: `'${office.root.id}' in parents and trashed=false`,
      orderBy: "folder,name",
      pageSize: "100",
      supportsAllDrives: "true",
      includeItemsFromAllDrives: "true",
    });
    expect(asked).to.not.have.any.keys("corpora", "driveId");
  });

  it("is truncated where Google did not search everywhere", async () => {
    world.drive.searchesPartly = true;
    expect((await office.ann.get(BROWSE)).body.truncated).to.equal(true);
  });

  it("lists the shared drive without a parent folder, within its corpus (trap P19)", async () => {
    const shared = world.drive.sharedDrive("Agency", office.person);
    const file = world.drive.file("plan", { parent: shared });
    await office.configure({ drive_parent_folder_id: null, drive_shared_drive_id: shared.id });
    const { body } = await office.ann.get(BROWSE);
    expect(body.items.map(({ id }: { id: string }) => id)).to.deep.equal([file.id]);
    const list = world.google.received.findLast(({ path }) => path === "/drive/v3/files");
    expect(Object.fromEntries(list?.query ?? [])).to.deep.include({ corpora: "drive", driveId: shared.id });
  });

  it("searches one folder by beginnings of words, quotes and backslashes escaped", async () => {
    const { ann, root } = office;
    const hit = world.drive.file("Plan of Bakker's \\ shop", { parent: root });
    world.drive.file("unplanned", { parent: root });
    world.drive.file("Bakker's", { parent: world.drive.folder("deeper", { parent: root }) });
    const { body } = await ann.get(`${BROWSE}?q=${encodeURIComponent("  Bakker's \\ ")}`);
    expect(body.query).to.equal("Bakker's \\");
    expect(body.items.map(({ id }: { id: string }) => id)).to.deep.equal([hit.id]);
    expect((await ann.get(`${BROWSE}?q=plan`)).body.items.map(({ id }: { id: string }) => id)).to.deep.equal([hit.id]);
    expect((await ann.get(`${BROWSE}?q=%20`)).body.query).to.equal(null);
  });

  it("answers the same person, folder and term from its cache for 45 seconds; refresh reads again", async () => {
    const { ann, root, tenant } = office;
    await ann.get(BROWSE);
    const file = world.drive.file("new", { parent: root });
    expect((await ann.get(`${BROWSE}?folder_id=${root.id}`)).body.items).to.deep.equal([]);
    expect(calls().length).to.equal(2);
    const items = async (query: string) => (await ann.get(`${BROWSE}?${query}`)).body.items.map(({ id }: { id: string }) => id);
    expect(await items("q=new"), "another term").to.deep.equal([file.id]);
    expect(await items("refresh=true")).to.deep.equal([file.id]);
    expect(await items("")).to.deep.equal([file.id]);
    expect(calls().length).to.equal(6);
    const bob = await tenant.member("member");
    await connected(world.google, bob);
    expect(refused(await bob.get(BROWSE)), "another person asks as themselves").to.deep.equal([404, "not_found"]);
    await world.service.sql.query("update drive_listings set read_at = now() - interval '46 seconds'");
    await ann.get(BROWSE);
    expect(calls().length).to.equal(9);
  });

  it("clears the cache when the person connects another account", async () => {
    const { ann } = office;
    world.drive.file("private", { parent: office.root });
    expect((await ann.get(BROWSE)).body.items).to.have.length(1);
    await connected(world.google, ann);
    expect(refused(await ann.get(BROWSE))).to.deep.equal([404, "not_found"]);
  });

  it("refuses, in the order of the table", async () => {
    const { ann, tenant, configure } = office;
    const bob = await tenant.member("member");
    await configure({ drive_enabled: false, drive_parent_folder_id: null });
    expect(refused(await bob.get(BROWSE))).to.deep.equal([409, "workspace_drive_disabled"]);
    await configure({ drive_parent_folder_id: null });
    expect(refused(await bob.get(BROWSE))).to.deep.equal([409, "workspace_drive_no_folder"]);
    await configure();
    expect(refused(await bob.get(BROWSE))).to.deep.equal([409, "workspace_not_connected"]);
    world.google.revoke(office.person);
    world.google.expireAccessTokens();
    expect(refused(await ann.get(BROWSE))).to.deep.equal([409, "workspace_connection_error"]);
    expect(refused(await ann.get(BROWSE)), "known before anybody is asked").to.deep.equal([409, "workspace_connection_error"]);
    await connected(world.google, bob, { without: [SCOPE.drive] });
    expect(refused(await bob.get(BROWSE)), "trap P12").to.deep.equal([409, "workspace_drive_scope_missing"]);
    expect(calls().filter((call) => call.includes("files")).length, "only the call with the dead grant").to.equal(1);
  });

  it("takes an empty list of scopes for no evidence: Google says whether it is too small (trap S17)", async () => {
    const { tenant, root } = office;
    const bob = await tenant.member("member");
    await connected(world.google, bob, { without: [SCOPE.drive] });
    await world.service.sql.query("update workspace_connections set scopes = '{}' where account_id = $1", [bob.accountId]);
    expect(refused(await bob.get(`${BROWSE}?folder_id=${root.id}`))).to.deep.equal([409, "workspace_drive_scope_missing"]);
    expect(calls().length).to.equal(1);
  });

  for (const [what, fault, status, code] of [
    ["an API that is switched off", GoogleSimulator.refusing(403, "accessNotConfigured"), 409, "workspace_drive_api_disabled"],
    ["a scope that is too small", GoogleSimulator.refusing(403, "insufficientPermissions"), 409, "workspace_drive_scope_missing"],
    ["a limit of the minute", GoogleSimulator.refusing(403, "userRateLimitExceeded"), 502, "workspace_drive_unavailable"],
    ["a limit of the day", GoogleSimulator.refusing(403, "dailyLimitExceeded"), 502, "workspace_drive_unavailable"],
    ["a missing right", GoogleSimulator.refusing(403, "insufficientFilePermissions"), 409, "workspace_drive_forbidden"],
    ["a full storage", GoogleSimulator.refusing(403, "storageQuotaExceeded"), 409, "workspace_drive_storage_full"],
    ["a full shared drive", GoogleSimulator.refusing(403, "teamDriveFileLimitExceeded"), 409, "workspace_drive_storage_full"],
    ["a file that is not there", GoogleSimulator.refusing(404, "notFound"), 404, "not_found"],
    ["a query it does not understand", GoogleSimulator.refusing(400, "invalid"), 502, "workspace_drive_unavailable"],
    ["too many calls", GoogleSimulator.refusing(429, "rateLimitExceeded"), 502, "workspace_drive_unavailable"],
  ] as const)
    it(`reports ${what} by ${status} ${code}`, async () => {
      world.google.fail(fault);
      expect(refused(await office.ann.get(BROWSE))).to.deep.equal([status, code]);
    });

  it("is 502 where Google fails twice, and names the seconds that Google named", async () => {
    for (const _ of [1, 2]) world.google.fail(GoogleSimulator.refusing(503, "backendError"));
    expect(refused(await office.ann.get(BROWSE))).to.deep.equal([502, "workspace_drive_unavailable"]);
    world.google.fail(GoogleSimulator.refusing(429, "rateLimitExceeded", { headers: { "Retry-After": "7" } }));
    const { body } = await office.ann.get(`${BROWSE}?refresh=true`);
    expect(body.error.details).to.deep.equal({ retry_after_seconds: 7 });
  });

  it("shows and links files with names that PostgreSQL cannot store as they are", async () => {
    const { ann, root, tenant } = office;
    const ids = ["half \ud83d", "zero \u0000"].map((name) => world.drive.file(name, { parent: root }).id);
    const listed = (await ann.get(BROWSE)).body.items.map(({ name }: { name: string }) => name);
    expect(listed).to.deep.equal(["half \ufffd", "zero "]);
    const entity_id = (await tenant.company()).id;
    for (const [index, drive_file_id] of ids.entries()) {
      const { status, body } = await ann.post("/workspace/drive/links", { entity_type: "company", entity_id, drive_file_id });
      expect([status, body.name]).to.deep.equal([201, listed[index]]);
    }
  });

  it("is 404 for an id of dots, without asking for another address", async () => {
    expect(refused(await office.ann.get(`${BROWSE}?folder_id=..`))).to.deep.equal([404, "not_found"]);
    expect(calls()).to.deep.equal([]);
  });

  it("refuses terms and ids that are too long", async () => {
    expect(refused(await office.ann.get(`${BROWSE}?q=${"x".repeat(101)}`))).to.deep.equal([
      422,
      "validation",
      { q: "errors.validation" },
    ]);
    expect((await office.ann.get(`${BROWSE}?folder_id=${"x".repeat(129)}`)).status).to.equal(422);
  });
});
