import { expect } from "chai";
import { GoogleSimulator } from "../../simulators/google/google.ts";
import { until } from "../../support/jobs.ts";
import { type DriveOffice, type DriveWorld, refused, startDrive } from "./drive-world.ts";

const UPLOAD = "/workspace/drive/upload-session";
const JOB = "workspace.drive.link-upload";

describe("uploads for a record whose browser vanishes (workspace §2.4, trap S18)", () => {
  let world: DriveWorld;
  let office: DriveOffice;
  let record: { entity_type: "company"; entity_id: string };
  before(async () => {
    world = await startDrive();
  });
  beforeEach(async () => {
    await world.service.sql.query("delete from jobs.agenda_jobs where name = $1 and type = 'normal'", [JOB]);
    office = await world.office();
    record = { entity_type: "company", entity_id: (await office.tenant.company()).id };
  });
  afterEach(() => expect(world.google.complaints).to.deep.equal([]));
  after(() => world.stop());

  /** Opens a session for the record. @returns its address */
  const open = async (values: Record<string, unknown> = record): Promise<string> => {
    const { status, body, text } = await office.ann.post(UPLOAD, { folder_id: office.root.id, name: "offer.pdf", ...values });
    expect(status, text).to.equal(200);
    expect(Object.keys(body)).to.deep.equal(["session_uri"]);
    return body.session_uri;
  };
  const links = async () =>
    (await office.tenant.owner.get(`/workspace/drive/links?entity_type=company&entity_id=${record.entity_id}`)).body;
  const jobs = async (): Promise<{ id: string; wait: number; turn: number }[]> =>
    (
      await world.service.sql.query(
        `select id, round(extract(epoch from next_run_at - now()) / 60)::int as wait, (data -> 'payload' ->> 'turn')::int as turn
          from jobs.agenda_jobs where name = $1 and type = 'normal' and failed_at is null`,
        [JOB],
      )
    ).rows;
  const waiting = () => until(async () => (await jobs())[0]);
  /** Lets the next look come now, and waits until it has. */
  const look = async () => {
    const { id } = await waiting();
    await world.service.sql.query("update jobs.agenda_jobs set next_run_at = now() where id = $1", [id]);
    await until(async () => (await jobs()).every((one) => one.id !== id));
  };
  const searches = () => world.google.received.filter(({ method, path }) => method === "GET" && path === "/drive/v3/files");
  const ended = async () => {
    const left = "select (select count(*) from outbox where job = $1 and relayed_at is null)::int as n";
    await until(async () => (await world.service.sql.query(left, [JOB])).rows[0].n === 0 && (await jobs()).length === 0);
  };

  it("links the file after a minute without a request, in the name of the uploader", async () => {
    const address = await open();
    const file = world.drive.finish(address);
    expect((await waiting()).wait).to.equal(1);
    expect(await links()).to.deep.equal([]);
    await look();
    const [link, ...others] = await links();
    expect(others).to.deep.equal([]);
    expect(link).to.deep.include({ drive_file_id: file.id, name: "offer.pdf", is_root: false, is_folder: false });
    const { rows } = await world.service.sql.query("select full_name from accounts where id = $1", [office.ann.accountId]);
    expect(link.created_by_name).to.equal(rows[0].full_name);
    await ended();
  });

  it("finds the file wherever its person has moved it, on a shared drive too", async () => {
    const team = world.drive.sharedDrive("Team", office.person);
    const file = world.drive.finish(await open({ ...record, folder_id: team.id }));
    file.parents = [world.drive.folder("Elsewhere", { parent: team }).id];
    await look();
    expect((await links()).map((one: { drive_file_id: string }) => one.drive_file_id)).to.deep.equal([file.id]);
  });

  it("looks less and less often while the bytes are not there, until they are", async () => {
    const address = await open();
    const waits: number[] = [];
    for (let turn = 0; turn < 7; turn++) {
      waits.push((await until(async () => (await jobs()).find((one) => one.turn === turn))).wait);
      await look();
    }
    expect(waits).to.deep.equal([1, 2, 5, 15, 60, 180, 180]);
    expect(await links()).to.deep.equal([]);
    world.drive.finish(address);
    await look();
    expect(await links()).to.have.length(1);
  });

  it("stops looking when the session has ended after a week", async () => {
    await open();
    const { id } = await waiting();
    await world.service.sql.query("update jobs.agenda_jobs set data = jsonb_set(data, '{payload,turn}', '61') where id = $1", [
      id,
    ]);
    await look();
    await ended();
    expect(searches()).to.have.length(1);
  });

  it("makes no second link where the browser has linked the file itself", async () => {
    const file = world.drive.finish(await open());
    const { status } = await office.ann.post("/workspace/drive/links", { ...record, drive_file_id: file.id });
    expect(status).to.equal(201);
    const before = await links();
    await look();
    await ended();
    expect(await links()).to.deep.equal(before);
  });

  it("looks again after a failure of Google, and while files are switched off or the connection is broken", async () => {
    const file = world.drive.finish(await open());
    world.google.fail(GoogleSimulator.refusing(403, "userRateLimitExceeded"));
    await look();
    await office.configure({ drive_enabled: false });
    await look();
    await office.configure();
    await world.service.sql.query("update workspace_connections set status = 'error' where account_id = $1", [
      office.ann.accountId,
    ]);
    await look();
    expect(await links()).to.deep.equal([]);
    expect(searches()).to.have.length(1);
    await world.service.sql.query("update workspace_connections set status = 'active' where account_id = $1", [
      office.ann.accountId,
    ]);
    await look();
    expect((await links()).map((one: { drive_file_id: string }) => one.drive_file_id)).to.deep.equal([file.id]);
  });

  it("ends with its record, and leaves the file", async () => {
    const file = world.drive.finish(await open());
    await waiting();
    expect((await office.tenant.owner.delete(`/companies/${record.entity_id}`)).status).to.equal(204);
    await look();
    await ended();
    expect(world.drive.files.has(file.id)).to.equal(true);
  });

  it("looks for nothing where no record is named, and marks nothing", async () => {
    await open({});
    await open({ entity_type: null, entity_id: null });
    await ended();
    expect(world.drive.uploads.map(({ appProperties }) => appProperties)).to.deep.equal([{}, {}]);
  });

  it("refuses a media type that cannot be a header, by its field and before any call", async () => {
    const ask = (mime_type: string) => office.ann.post(UPLOAD, { folder_id: office.root.id, name: "x", mime_type });
    for (const type of ["text/plain\u{1f600}", "text/\u0142", "text/plain\r\nX-More: 1", "text/plain\u0007", "a\u00e9/b"])
      expect(refused(await ask(type)), JSON.stringify(type)).to.deep.equal([
        422,
        "validation",
        { mime_type: "errors.validation" },
      ]);
    expect(world.google.calls("drive")).to.deep.equal([]);
    for (const type of ["", "text/plain", 'text/plain; charset="utf-8"', "application/vnd.oasis.opendocument.text"])
      expect((await ask(type)).status, type).to.equal(200);
  });

  it("refuses half a record by the missing field, an unknown one by its field, one out of the selection by 404", async () => {
    const { tenant, ann, root } = office;
    const ask = (values: object, who = ann) => who.post(UPLOAD, { folder_id: root.id, name: "x", ...values });
    const half = { entity_type: "company" };
    expect(refused(await ask(half))).to.deep.equal([422, "validation", { entity_id: "errors.required" }]);
    expect(refused(await ask({ entity_id: record.entity_id }))).to.deep.equal([
      422,
      "validation",
      { entity_type: "errors.required" },
    ]);
    expect(refused(await ask({ ...half, entity_id: crypto.randomUUID() }))).to.deep.equal([
      422,
      "validation",
      { entity_id: "errors.not_found" },
    ]);
    await tenant.group("Others", [(await tenant.company()).id], [ann.membershipId]);
    expect(refused(await ask(record))).to.deep.equal([404, "not_found"]);
    expect(world.drive.uploads).to.deep.equal([]);
  });
});
