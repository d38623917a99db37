import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { text } from "node:stream/consumers";
import { expect } from "chai";
import { readConfig } from "../../../core/config/config.ts";
import type { ObjectStore } from "../../../core/files/storage.ts";
import { s3Store } from "../../../core/providers/storage/s3.ts";
import { startBucket, type TestBucket } from "../../support/s3.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";
import { Invoicing, ok } from "../money/documents/invoicing.ts";

const BUCKET = "journal";

describe("a journal in a bucket", () => {
  let bucket: TestBucket;
  let service: TestService;
  let tenant: Tenant;
  let invoicing: Invoicing;
  let held: ObjectStore;
  let folder: string;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "kantoor-journal-"));
    bucket = await startBucket(BUCKET);
    const { SERVICE_FILES_BUCKET: _, ...environment } = bucket.environment;
    service = await startService({ ...environment, SERVICE_ACCOUNTING_JOURNAL_BUCKET: BUCKET });
    held = s3Store(BUCKET, readConfig(bucket.environment));
    tenant = await service.tenant();
    invoicing = await Invoicing.open(service, tenant);
    await service.sql.query("update tax_rates set ledger_code = '8000' where organisation_id = $1", [tenant.organisation.id]);
    const seller = { name: "Vela Works B.V.", country: "NL", vat_number: "NL123456789B01" };
    await ok(tenant.owner.put("/invoicing/settings", { company_details: seller, invoice_number_format: "F/{year} & {seq:3}" }));
    await ok(tenant.owner.patch(`/companies/${invoicing.company}`, { country: "NL" }));
  });
  after(async () => {
    await service?.stop();
    await bucket?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const send = (id: string, provider: string) => tenant.owner.post(`/invoicing/invoices/${id}/export?provider=${provider}`);
  const read = async (name: string): Promise<string | null> => {
    const found = await held.open(tenant.organisation.slug, name);
    return found && text(found.bytes);
  };
  const put = async (name: string, contents: string) => {
    const file = path.join(folder, "theirs");
    await writeFile(file, contents);
    await held.put(tenant.organisation.slug, name, file);
  };

  it("has the journal and the e-invoice of a document under its number, with any characters, once", async () => {
    const { id, number } = await invoicing.issued();
    const name = encodeURIComponent(number as string);
    expect(name).to.match(/^F%2F\d{4}%20%26%20001$/);
    for (const [provider, ending] of [
      ["journal", "csv"],
      ["ubl", "xml"],
    ] as const) {
      // biome-ignore format: a table
      const sent = await ok(send(id, provider));
      expect(sent).to.include({ provider, external_id: `${name}.${ending}` });
      expect(sent.payload.adopted).to.equal(false);
      expect((await ok(send(id, provider))).payload).to.deep.equal(sent.payload);
    }
    expect((await read(`${name}.csv`))?.split("\r\n")[1]).to.match(
      /,1028\.44,line,8000,Line of 84\.00,standard,21\.00,630\.00,$/,
    );
    expect(await read(`${name}.xml`)).to.equal((await tenant.owner.get(`/invoicing/invoices/${id}/ubl`)).text);
  });

  it("is brought up to date with what changed here, and keeps what another wrote", async () => {
    const { id, number } = await invoicing.issued();
    const name = `${encodeURIComponent(number as string)}.csv`;
    await ok(send(id, "journal"));
    // Of what an exported document has, its term still changes.
    await ok(tenant.owner.patch(`/invoicing/invoices/${id}`, { due_date: "2027-01-07" }));
    await ok(send(id, "journal"));
    expect(await read(name)).to.contain(",2027-01-07,");
    await put(name, "theirs");
    await ok(tenant.owner.patch(`/invoicing/invoices/${id}`, { due_date: "2027-01-08" }));
    expect((await ok(send(id, "journal"))).payload.adopted).to.equal(true);
    expect(await read(name)).to.equal("theirs");
  });

  it("is retried later when it cannot be reached, and nothing is stored", async () => {
    const { id } = await invoicing.issued();
    await bucket.stop();
    const answer = await send(id, "journal");
    expect([answer.status, answer.body.error.code, answer.headers["retry-after"]]).to.deep.equal([503, "unavailable", "60"]);
    expect((await tenant.owner.get(`/invoicing/invoices/${id}/refs`)).body).to.deep.equal([]);
  });
});
