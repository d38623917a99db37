import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { stores } from "../../../core/files/storage.ts";
import { png } from "../../support/pictures.ts";
import { startBucket, type TestBucket } from "../../support/s3.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { attach, setLogo, storedFiles } from "./files-support.ts";

describe("files in a bucket", () => {
  let bucket: TestBucket;
  let service: TestService;
  let tenant: Tenant;
  let id: string;
  before(async () => {
    bucket = await startBucket();
    service = await startService(bucket.environment);
    tenant = await service.tenant();
    ({ id } = await tenant.company());
  });
  after(async () => {
    await service.stop();
    await bucket.stop();
  });

  const inBucket = async (): Promise<number> => {
    let count = 0;
    for await (const page of stores().writing.list(tenant.organisation.id)) count += page.length;
    return count;
  };
  const add = (content: string | Buffer, type?: string) =>
    attach(tenant.owner, `entity_type=company&entity_id=${id}`, content, type);

  it("are read back as they were sent, and nothing stays on this machine", async () => {
    const bytes = png(100, 100);
    const { status, body } = await add(bytes, "image/png");
    expect(status).to.equal(201);
    expect((await tenant.owner.get(`/files/${body.id}`)).bytes.equals(bytes)).to.equal(true);
    expect(await inBucket()).to.equal(1);
    expect(storedFiles()).to.deep.equal([]);
  });

  it("store equal bytes once, and logos re-encoded", async () => {
    const content = randomUUID();
    const before = await inBucket();
    await add(content);
    await add(content);
    await setLogo(tenant.owner, id, png());
    expect(await inBucket()).to.equal(before + 2);
    expect((await tenant.owner.get(`/companies/${id}/logo`)).status).to.equal(200);
  });

  it("that are missing are 404 errors.file_bytes_missing", async () => {
    const { body } = await add(randomUUID());
    const { rows } = await service.sql.query("select content_id from files where id = $1", [body.id]);
    await stores().writing.remove(tenant.organisation.id, rows[0].content_id);
    const answer = await tenant.owner.get(`/files/${body.id}`);
    expect([answer.status, answer.body.error.message]).to.deep.equal([404, "errors.file_bytes_missing"]);
  });

  it("leave nothing behind when the upload is refused", async () => {
    const before = await inBucket();
    await attach(tenant.owner, `entity_type=company&entity_id=${randomUUID()}`, randomUUID());
    expect(await inBucket()).to.equal(before);
  });

  it("are 503 with Retry-After while the bucket cannot be reached, and nothing was written", async () => {
    const { body } = await add("before");
    await bucket.stop();
    const answers = [await tenant.owner.get(`/files/${body.id}`), await add("after")];
    for (const { status, headers, text } of answers) {
      expect([status, headers["retry-after"]], text).to.deep.equal([503, "5"]);
      expect(text).to.not.match(/127\.0|ECONN|bucket/);
    }
    const { rowCount } = await service.sql.query("select 1 from files where name = 'notes.txt' and created_at > $1", [
      body.created_at,
    ]);
    expect(rowCount).to.equal(0);
    expect(storedFiles()).to.deep.equal([]);
  });
});
