import { randomUUID } from "node:crypto";
import { mkdir, readdir, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { Readable } from "node:stream";
import { expect } from "chai";
import { keepFile } from "../../../core/files/files.ts";
import { cleanSpool, spool, stageUpload } from "../../../core/files/staged-uploads.ts";
import { stores } from "../../../core/files/storage.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { inTenancy } from "../../../mixins/tenancy.ts";
import { maintainFiles } from "../../../services/platform/files/file-maintenance.ts";
import { oneProcess } from "../../support/cluster/topology.ts";
import { sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { attach, storedFiles } from "./files-support.ts";

oneProcess("looks inside the node");

const HOUR = 3_600_000;

describe("the nightly maintenance of files", () => {
  let service: TestService;
  let tenant: Tenant;
  let company: string;
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    company = `entity_type=company&entity_id=${(await tenant.company()).id}`;
  });
  after(() => service.stop());

  /** Maintains the files as some hours from now: the database counts by its own clock. */
  const maintain = async (hours: number): Promise<number> => {
    const { organisation } = tenant;
    const age = (by: number) =>
      service.sql.query(
        "update file_contents set touched_at = touched_at - make_interval(hours => $2) where organisation_id = $1",
        [organisation.id, by],
      );
    const { signal } = new AbortController();
    const run = {
      id: randomUUID(),
      name: "files.maintain",
      signal,
      logger: service.node.broker.getLogger("files"),
      organisation,
    };
    if (hours > 0) await age(hours);
    const bound =
      (mode: "read" | "write") =>
      <T>(work: () => Promise<T>) =>
        inTenancy(() => systemRequest("files.maintain", organisation, mode), work);
    const removed = await maintainFiles(
      { ...run, read: bound("read"), write: bound("write") },
      new Date(Date.now() + hours * HOUR),
    );
    if (hours > 0) await age(-hours);
    return removed;
  };
  const kept = async () => {
    const { rows } = await service.sql.query("select id from file_contents where organisation_id = $1", [tenant.organisation.id]);
    return rows.length;
  };
  /** Pieces of content in the store of this organisation. */
  const inStore = async (): Promise<number> => {
    let count = 0;
    for await (const page of stores().writing.list(tenant.organisation.id)) count += page.length;
    return count;
  };

  it("reclaims bytes 24 hours after the last reference went, not earlier", async () => {
    const { id } = (await attach(tenant.owner, company, randomUUID())).body;
    await tenant.owner.delete(`/files/${id}`);
    expect([await maintain(23), await inStore(), await kept()]).to.deep.equal([0, 1, 1]);
    expect([await maintain(25), await inStore(), await kept()]).to.deep.equal([1, 0, 0]);
  });

  it("never touches bytes that are referred to, however old", async () => {
    const content = randomUUID();
    const one = (await attach(tenant.owner, company, content)).body.id;
    const two = (await attach(tenant.owner, company, content)).body.id;
    await tenant.owner.delete(`/files/${one}`);
    expect(await maintain(24 * 400)).to.equal(0);
    expect((await tenant.owner.get(`/files/${two}`)).text).to.equal(content);
  });

  it("counts the day from the last reference, not from the upload", async () => {
    const { id } = (await attach(tenant.owner, company, randomUUID())).body;
    await service.sql.query("update file_contents set touched_at = now() - interval '1 year' where organisation_id = $1", [
      tenant.organisation.id,
    ]);
    await tenant.owner.delete(`/files/${id}`);
    expect([await maintain(1), await kept()]).to.deep.equal([0, 1]);
  });

  it("leaves the old bytes that someone is just taking up again", async () => {
    const { organisation } = tenant;
    const content = randomUUID();
    const { id, entity_id: entityId } = (await attach(tenant.owner, company, content)).body;
    await tenant.owner.delete(`/files/${id}`);
    await service.sql.query("update file_contents set touched_at = now() - interval '2 days' where organisation_id = $1", [
      organisation.id,
    ]);
    const twin = await stageUpload(organisation.id, await spool(Readable.from([Buffer.from(content)])));
    const [taken, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const taking = inTenancy(
      () => systemRequest("files.test", organisation, "write"),
      async () => {
        const file = await keepFile({ ...twin, name: "a.txt", type: "text/plain" }, { entityType: "company", entityId });
        taken.resolve();
        await release.promise;
        return file;
      },
    );
    await taken.promise;
    await maintain(0).finally(release.resolve);
    const file = await taking;
    expect((await tenant.owner.get(`/files/${file}`)).text).to.equal(content);
  });

  it("removes bytes whose row was never written, after a day", async () => {
    await stageUpload(tenant.organisation.id, await spool(Readable.from([Buffer.from("lost")])));
    expect([await maintain(23), await inStore()]).to.deep.equal([0, 1]);
    expect([await maintain(25), await inStore()]).to.deep.equal([1, 0]);
  });

  it("leaves other organisations and unknown files alone", async () => {
    const other = await service.tenant();
    const draft = await stageUpload(other.organisation.id, await spool(Readable.from([Buffer.from("theirs")])));
    const strange = path.join(path.dirname(stores().spoolFolder), tenant.organisation.id, "zz");
    await mkdir(strange, { recursive: true });
    await writeFile(path.join(strange, "lost+found"), "x");
    expect(await maintain(25)).to.equal(0);
    expect(storedFiles()).to.include.members([draft.id, "lost+found"]);
  });

  it("may run while files come and go: no file loses its bytes", async () => {
    const content = randomUUID();
    const kept: string[] = [];
    const work = async () => {
      for (let round = 0; round < 8; round++) {
        const { id } = (await attach(tenant.owner, company, content)).body;
        if (round < 7) await tenant.owner.delete(`/files/${id}`);
        else kept.push(id);
      }
    };
    // What nothing refers to is made two days old just before each run, so that every run has something to take.
    const sweeping = async () => {
      for (let round = 0; round < 12; round++) {
        await service.sql.query(
          `update file_contents c set touched_at = now() - interval '2 days' where organisation_id = $1
             and not exists (select 1 from files f where f.content_id = c.id)`,
          [tenant.organisation.id],
        );
        await maintain(0);
      }
    };
    await Promise.all([work(), work(), sweeping()]);
    for (const id of kept) expect((await tenant.owner.get(`/files/${id}`)).text).to.equal(content);
  });

  it("has its job at 03:15 UTC", () => {
    const files = service.node.broker.getLocalService("files") as unknown as {
      schema: { jobs: Record<string, { schedule: string }> };
    };
    expect(files.schema.jobs["files.maintain"]?.schedule).to.equal("15 3 * * *");
  });

  it("is removed by the next start after an hour, when a process left it half received", async () => {
    const { spoolFolder } = stores();
    await mkdir(spoolFolder, { recursive: true });
    for (const [name, hours] of [
      ["old", 2],
      ["young", 0],
    ] as const) {
      await writeFile(path.join(spoolFolder, name), "half");
      const at = new Date(Date.now() - hours * HOUR);
      await utimes(path.join(spoolFolder, name), at, at);
    }
    await cleanSpool();
    expect(await readdir(spoolFolder)).to.deep.equal(["young"]);
  });
});
