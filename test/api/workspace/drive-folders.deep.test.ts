import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { type DriveOffice, type DriveWorld, refused, startDrive } from "./drive-world.ts";

const FOLDERS = "/workspace/drive/folders";
const UPLOAD = "/workspace/drive/upload-session";

describe("making folders and opening uploads at Google (workspace §2.4)", () => {
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

  const creations = () => world.google.calls("drive").filter((call) => call.startsWith("POST"));
  const inRoot = () => world.drive.childrenOf(office.root);

  describe("POST /workspace/drive/folders", () => {
    it("makes a folder, and finds it the next time, ignoring blanks around the name", async () => {
      const { ann, root } = office;
      const made = await ann.post(FOLDERS, { parent_id: root.id, name: "  Bakker's \\ plans " });
      const [folder] = inRoot();
      expect([made.status, made.body]).to.deep.equal([
        201,
        { id: folder?.id, name: "Bakker's \\ plans", web_view_link: `https://drive.google.com/drive/folders/${folder?.id}` },
      ]);
      const again = await ann.post(FOLDERS, { parent_id: root.id, name: "Bakker's \\ plans" });
      expect([again.status, again.body]).to.deep.equal([201, made.body]);
      expect(creations()).to.deep.equal([
        "POST /drive/v3/files?fields=id,name,mimeType,webViewLink,driveId&supportsAllDrives=true",
      ]);
    });

    it("finds the oldest folder of that very name, no file and no other case", async () => {
      const { ann, root } = office;
      world.drive.file("Plans", { parent: root });
      world.drive.folder("plans", { parent: root });
      const oldest = world.drive.folder("Plans", { parent: root });
      world.drive.folder("Plans", { parent: root });
      expect((await ann.post(FOLDERS, { parent_id: root.id, name: "Plans" })).body.id).to.equal(oldest.id);
      expect(creations()).to.deep.equal([]);
    });

    it("does not make a folder again that is not listed yet (trap P18)", async () => {
      const { ann, root } = office;
      world.drive.lags = true;
      const ids = [];
      for (const _ of [1, 2, 3]) ids.push((await ann.post(FOLDERS, { parent_id: root.id, name: "Plans" })).body.id);
      expect([new Set(ids).size, inRoot().length]).to.deep.equal([1, 1]);
    });

    it("makes another one where the first was binned or renamed meanwhile", async () => {
      const { ann, root } = office;
      const make = async () => (await ann.post(FOLDERS, { parent_id: root.id, name: "Plans" })).body.id as string;
      const first = world.drive.files.get(await make());
      if (first) first.trashed = true;
      const second = world.drive.files.get(await make());
      if (second) second.name = "Old plans";
      await make();
      expect(inRoot().map(({ name }) => name)).to.deep.equal(["Old plans", "Plans"]);
    });

    it("makes one for 20 who ask at once (trap P17)", async () => {
      const { ann, root } = office;
      const answers = await Promise.all(
        Array.from({ length: 20 }, () => ann.post(FOLDERS, { parent_id: root.id, name: "Plans" })),
      );
      expect(new Set(answers.map(({ status, body }) => `${status} ${body.id}`)).size).to.equal(1);
      expect(creations().length).to.equal(1);
    });

    it("waits with a second creation after a lost answer until the first one would be listed", async () => {
      const { ann, root } = office;
      const post = () => ann.post(FOLDERS, { parent_id: root.id, name: "Plans" });
      world.drive.lags = true;
      const mend = world.google.failWhen(({ method, path }) => method === "POST" && path === "/drive/v3/files", { kind: "lose" });
      expect(refused(await post())).to.deep.equal([502, "workspace_drive_unavailable"]);
      mend();
      const waiting = await post();
      expect(refused(waiting)).to.deep.equal([502, "workspace_drive_unavailable"]);
      expect(waiting.body.error.details.retry_after_seconds).to.be.within(1, 60);
      world.drive.catchUp();
      const found = await post();
      expect([found.status, inRoot().length]).to.deep.equal([201, 1]);
      expect(found.body.id).to.equal(inRoot()[0]?.id);
    });

    it("makes it after all where Google had not, once the minute is over", async () => {
      const { ann, root } = office;
      const post = () => ann.post(FOLDERS, { parent_id: root.id, name: "Plans" });
      const mend = world.google.failWhen(({ method, path }) => method === "POST" && path === "/drive/v3/files", { kind: "drop" });
      await post();
      mend();
      expect((await post()).status).to.equal(502);
      await world.service.sql.query("update drive_creations set asked_at = asked_at - interval '61 seconds'");
      expect([(await post()).status, inRoot().length]).to.deep.equal([201, 1]);
    });

    it("makes it at once after a refusal, which proves that nothing was made", async () => {
      const { ann, root } = office;
      const post = () => ann.post(FOLDERS, { parent_id: root.id, name: "Plans" });
      root.isWritable = false;
      expect(refused(await post())).to.deep.equal([409, "workspace_drive_forbidden"]);
      root.isWritable = true;
      expect((await post()).status).to.equal(201);
    });

    it("makes folders on a shared drive", async () => {
      const shared = world.drive.sharedDrive("Agency", office.person);
      const { status } = await office.ann.post(FOLDERS, { parent_id: shared.id, name: "Plans" });
      expect([status, world.drive.childrenOf(shared).map(({ name }) => name)]).to.deep.equal([201, ["Plans"]]);
    });

    it("clears the caller's cached listings", async () => {
      const { ann, root } = office;
      await ann.get("/workspace/drive/browse");
      await ann.post(FOLDERS, { parent_id: root.id, name: "Plans" });
      expect((await ann.get("/workspace/drive/browse")).body.items).to.have.length(1);
    });

    it("refuses a blank name, a parent that is not there, and everything that browsing refuses", async () => {
      const { ann, root, tenant, configure } = office;
      const required = [422, "validation", { name: "errors.required" }];
      expect(refused(await ann.post(FOLDERS, { parent_id: root.id, name: "  " }))).to.deep.equal(required);
      expect(refused(await ann.post(FOLDERS, { parent_id: "nothing", name: "Plans" }))).to.deep.equal([404, "not_found"]);
      const bob = await tenant.member("member");
      expect(refused(await bob.post(FOLDERS, { parent_id: root.id, name: "x" }))).to.deep.equal([409, "workspace_not_connected"]);
      await configure({ drive_enabled: false });
      expect(refused(await ann.post(FOLDERS, { parent_id: root.id, name: "x" }))).to.deep.equal([
        409,
        "workspace_drive_disabled",
      ]);
      expect(creations()).to.deep.equal([]);
    });
  });

  describe("POST /workspace/drive/upload-session", () => {
    it("opens a session for the caller's own page, and gives its address", async () => {
      const { ann, root } = office;
      const body = { folder_id: root.id, name: "offer.pdf", mime_type: "application/pdf" };
      const { status, body: answer } = await ann.post(UPLOAD, body, { headers: { Origin: "https://app.example" } });
      const [upload] = world.drive.uploads;
      expect([status, answer]).to.deep.equal([200, { session_uri: upload?.address }]);
      expect(upload).to.deep.include({
        name: "offer.pdf",
        parentId: root.id,
        mimeType: "application/pdf",
        origin: "https://app.example",
      });
      const sent = world.google.received.findLast(({ path }) => path.startsWith("/upload/"));
      expect(sent?.query.get("uploadType")).to.equal("resumable");
      expect(sent?.query.get("supportsAllDrives")).to.equal("true");
    });

    it("asks for application/octet-stream where no type is named, without an Origin where no page asks", async () => {
      await office.ann.post(UPLOAD, { folder_id: office.root.id, name: "data" });
      expect(world.drive.uploads[0]).to.deep.include({ mimeType: "application/octet-stream", origin: null });
    });

    it("leaves a link on the record it came from, and the file where the link fails (trap S18)", async () => {
      const { ann, tenant, root } = office;
      const company = await tenant.company();
      const link = { entity_type: "company", entity_id: company.id };
      const { body } = await ann.post(UPLOAD, { folder_id: root.id, name: "offer.pdf", mime_type: "application/pdf" });
      const file = world.drive.finish(body.session_uri);
      world.google.fail(GoogleSimulator.refusing(403, "userRateLimitExceeded"));
      expect((await ann.post("/workspace/drive/links", { ...link, drive_file_id: file.id })).status).to.equal(502);
      expect(inRoot().map(({ id }) => id)).to.deep.equal([file.id]);
      expect((await ann.post("/workspace/drive/links", { ...link, drive_file_id: file.id })).body).to.deep.include({
        name: "offer.pdf",
        is_root: false,
      });
    });

    it("is 502 workspace_upload_failed where Google names no address", async () => {
      const isUpload = ({ path }: { path: string }) => path.startsWith("/upload/");
      world.google.failWhen(isUpload, { kind: "reply", status: 200, body: "" });
      const { ann, root } = office;
      expect(refused(await ann.post(UPLOAD, { folder_id: root.id, name: "x" }))).to.deep.equal([502, "workspace_upload_failed"]);
    });

    it("is stored for no Idempotency-Key, and in no table", async () => {
      const { ann, root } = office;
      const call = { headers: { "Idempotency-Key": "upload once" } };
      const body = { folder_id: root.id, name: "x" };
      const { body: answer } = await ann.post(UPLOAD, body, call);
      expect((await ann.post(UPLOAD, body, call)).status).to.equal(409);
      const { rows } = await world.service.sql.query(
        "select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
      );
      const secret = new URL(answer.session_uri).searchParams.get("upload_id");
      for (const { name } of rows) {
        const found = await world.service.sql.query(`select 1 from "${name}" t where t::text like $1`, [`%${secret}%`]);
        expect(found.rowCount, name).to.equal(0);
      }
    });

    it("refuses a folder that is not there, one without the right, and a blank name", async () => {
      const { ann, root } = office;
      expect(refused(await ann.post(UPLOAD, { folder_id: "nothing", name: "x" }))).to.deep.equal([404, "not_found"]);
      root.isWritable = false;
      expect(refused(await ann.post(UPLOAD, { folder_id: root.id, name: "x" }))).to.deep.equal([
        409,
        "workspace_drive_forbidden",
      ]);
      expect((await ann.post(UPLOAD, { folder_id: root.id, name: " " })).status).to.equal(422);
    });
  });
});
