import { expect } from "chai";
import { type LeaveService, refused, startLeaveService, unfit } from "../../support/leave.ts";
import { fileBody } from "../../support/multipart.ts";
import { png } from "../../support/pictures.ts";
import type { Caller, Tenant } from "../../support/service.ts";
import { trailOf } from "../clients/companies/company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";
const FORBIDDEN = [403, "forbidden", "errors.forbidden"];
const NOT_FOUND = [404, "not_found", "errors.not_found"];
const PDF = Buffer.from("%PDF-1.7\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n");
const CATEGORIES = ["contract", "growth_plan", "bonus", "benefits", "cao", "other"];

describe("the HR dossier", () => {
  let service: LeaveService;
  let tenant: Tenant;
  let admin: Caller;
  let anna: Caller;
  let bram: Caller;
  before(async () => {
    service = await startLeaveService("2028-06-01", { SERVICE_UPLOAD_LIMIT: String(64 * 1024) });
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    admin = await tenant.member("admin", { name: "Petra Personeel" });
    anna = await tenant.member("member", { name: "Anna" });
    bram = await tenant.member("member", { name: "Bram" });
  });
  after(() => service.stop());

  const upload = (query: Record<string, string>, content: Buffer | string = PDF, type?: string, name?: string, who = admin) => {
    const sent = fileBody(content, type ?? "application/pdf", name ?? "contract.pdf");
    const all = new URLSearchParams({ user_id: anna.accountId, category: "contract", ...query });
    return who.post(`/hr/documents?${all}`, sent.body, { headers: sent.headers });
  };
  const added = async (query: Record<string, string> = {}, content?: Buffer, type?: string, name?: string) => {
    const answer = await upload(query, content, type, name);
    if (answer.status !== 201) throw new Error(answer.text);
    return answer.body;
  };
  const dossier = (who: Caller, userId?: string) => who.get(`/hr/dossier${userId ? `?user_id=${userId}` : ""}`);
  const counted = async (table: string) =>
    (await service.sql.query(`select count(*)::int as n from ${table} where organisation_id = $1`, [tenant.organisation.id]))
      .rows[0].n;

  describe("POST /hr/documents", () => {
    it("answers with the document: the file's name is the default title, a blank note is null", async () => {
      const { status, body } = await upload({ note: "  " });
      expect(status).to.equal(201);
      expect(body).to.deep.equal({
        id: body.id,
        user_id: anna.accountId,
        file_id: body.file_id,
        category: "contract",
        title: "contract.pdf",
        note: null,
        uploaded_by_name: "Petra Personeel",
        created_at: body.created_at,
      });
      expect((await dossier(anna)).body.documents).to.deep.equal([body]);
    });

    it("cuts the title at 255 and the note at 500 characters", async () => {
      const body = await added({ title: "é".repeat(300), note: "🌴".repeat(600) });
      expect([[...body.title].length, [...body.note].length]).to.deep.equal([255, 500]);
    });

    it("takes every category and refuses another on its field, before it looks for the person", async () => {
      for (const category of CATEGORIES) expect((await added({ category })).category).to.equal(category);
      expect(refused(await upload({ category: "salary", user_id: UNKNOWN }))).to.deep.equal(
        unfit({ category: "errors.validation" }),
      );
    });

    it("answers 404 for a non-member, before it checks the file", async () => {
      const elsewhere = await service.tenant();
      for (const user_id of [UNKNOWN, elsewhere.owner.accountId])
        expect(refused(await upload({ user_id }, "MZ\u0000\u0001", "application/x-msdownload", "a.exe"))).to.deep.equal(
          NOT_FOUND,
        );
    });

    it("detects the type from the bytes and refuses other types, on the file", async () => {
      const programme = Buffer.from("7f454c4602010100000000000000000002003e0001000000", "hex");
      expect(refused(await upload({}, programme, "application/pdf", "contract.pdf"))).to.deep.equal([
        422,
        "validation",
        "errors.upload_type",
        { file: "errors.upload_type" },
      ]);
      expect(await counted("hr_documents")).to.equal(0);
    });

    it("refuses a file over the cap of the instance by its measured size", async () => {
      const large = Buffer.concat([PDF, Buffer.alloc(65 * 1024, 0x20)]);
      expect(refused(await upload({}, large))).to.deep.equal([
        413,
        "validation",
        "errors.upload_too_large",
        { file: "errors.upload_too_large" },
      ]);
      expect([await counted("hr_documents"), await counted("files")]).to.deep.equal([0, 0]);
    });

    it("asks for the file", async () => {
      const sent = fileBody("x");
      const body = Buffer.from(sent.body.toString().replace('name="file"', 'name="other"'));
      const headers = { ...sent.headers, "Content-Length": String(body.length) };
      const path = `/hr/documents?user_id=${anna.accountId}&category=cao`;
      expect(refused(await admin.post(path, body, { headers }))).to.deep.equal(unfit({ file: "errors.required" }));
    });

    it("is closed to members, also for their own dossier", async () => {
      expect(refused(await upload({}, PDF, undefined, undefined, anna))).to.deep.equal(FORBIDDEN);
    });

    it("keeps equal documents apart: removing one leaves its twin readable", async () => {
      const [one, twin] = [await added(), await added()];
      expect(one.file_id).not.to.equal(twin.file_id);
      expect((await admin.delete(`/hr/documents/${one.id}`)).status).to.equal(204);
      expect((await anna.get(`/hr/documents/${twin.id}/file`)).status).to.equal(200);
    });
  });

  describe("GET /hr/dossier", () => {
    it("shows one's own, newest first, with the categories; an empty one too", async () => {
      const [first, second] = [await added({ title: "een" }), await added({ title: "twee" })];
      expect((await dossier(anna)).body).to.deep.equal({
        user_id: anna.accountId,
        documents: [second, first],
        categories: CATEGORIES,
      });
      expect((await dossier(bram)).body).to.deep.equal({ user_id: bram.accountId, documents: [], categories: CATEGORIES });
    });

    it("shows another's only with :any", async () => {
      await added();
      expect(refused(await dossier(bram, anna.accountId))).to.deep.equal(FORBIDDEN);
      expect((await dossier(admin, anna.accountId)).body.documents).to.have.length(1);
      expect((await dossier(anna, anna.accountId.toUpperCase())).body.documents).to.have.length(1);
    });

    it("shows at most 500 documents", async () => {
      const { file_id } = await added();
      await service.sql.query(
        `with f as (insert into files (id, organisation_id, content_id, entity_type, entity_id, name, type)
            select gen_random_uuid(), $1, (select content_id from files where id = $3), 'hr_dossier', $2, 'x', 'text/plain'
              from generate_series(1, 510) returning id)
          insert into hr_documents (id, organisation_id, user_id, file_id, category, title, created_at)
          select gen_random_uuid(), $1, $2, id, 'other', 'old', '2020-01-01' from f`,
        [tenant.organisation.id, anna.accountId, file_id],
      );
      const { documents } = (await dossier(anna)).body;
      expect([documents.length, documents[0].file_id]).to.deep.equal([500, file_id]);
    });

    it("is empty for a service account, which has none of its own", async () => {
      const robot = await tenant.serviceAccount(["hr.dossier.read:own"]);
      expect((await robot.get("/hr/dossier")).body.documents).to.deep.equal([]);
      expect(refused(await robot.get(`/hr/dossier?user_id=${anna.accountId}`))).to.deep.equal(FORBIDDEN);
    });

    it("never shows another organisation's: a person who never was a member has none", async () => {
      await added();
      const elsewhere = await service.tenant();
      for (const id of [anna.accountId, UNKNOWN]) expect(refused(await dossier(elsewhere.owner, id))).to.deep.equal(NOT_FOUND);
    });
  });

  describe("GET /hr/documents/{document_id}/file", () => {
    it("gives the very bytes, inline for PDF and pictures, as attachment for all else", async () => {
      const picture = png();
      const kinds: [Buffer, string, string, string][] = [
        [PDF, "application/pdf", "a.pdf", "inline"],
        [picture, "image/png", "a.png", "inline"],
        [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>'), "image/svg+xml", "a.svg", "attachment"],
        [Buffer.from("naam;uren\r\n"), "text/csv", "a.csv", "attachment"],
      ];
      for (const [bytes, type, name, shown] of kinds) {
        const { id, file_id } = await added({}, bytes, type, name);
        const { status, headers, text } = await anna.get(`/hr/documents/${id}/file`);
        expect([status, headers["content-type"]?.split(";")[0], headers.etag]).to.deep.equal([200, type, `"${file_id}"`]);
        expect(headers["content-disposition"]).to.match(new RegExp(`^${shown}; filename=`));
        expect(headers).to.include({ "cache-control": "private, max-age=3600", "x-content-type-options": "nosniff" });
        expect(Buffer.from(text).length).to.equal(Buffer.from(bytes.toString()).length);
      }
    });

    it("answers 304 without a body to who has it already", async () => {
      const { id, file_id } = await added();
      const { status, text } = await anna.get(`/hr/documents/${id}/file`, { headers: { "If-None-Match": `"${file_id}"` } });
      expect([status, text]).to.deep.equal([304, ""]);
    });

    it("answers 404 to other members without :any, on the generic file surface as well", async () => {
      const { id, file_id } = await added();
      expect(refused(await bram.get(`/hr/documents/${id}/file`))).to.deep.equal(NOT_FOUND);
      expect(refused(await bram.get(`/files/${file_id}`))).to.deep.equal(NOT_FOUND);
      expect((await bram.get(`/files?entity_type=hr_dossier&entity_id=${anna.accountId}`)).body).to.deep.equal([]);
      expect((await anna.get(`/files/${file_id}`)).status).to.equal(200);
      expect((await anna.get(`/files?entity_type=hr_dossier&entity_id=${anna.accountId}`)).body).to.have.length(1);
      expect(refused(await anna.delete(`/files/${file_id}`)), "only through the dossier").to.deep.equal(FORBIDDEN);
    });

    it("says so when the bytes are gone", async () => {
      const { id, file_id } = await added({}, Buffer.concat([PDF, Buffer.from("bytes that go")]));
      await service.sql.query(
        `with c as (insert into file_contents (id, organisation_id, size, backend, sha256)
            values (gen_random_uuid(), $1, 1, 'disk', decode(repeat('00', 32), 'hex')) returning id)
          update files set content_id = (select id from c) where id = $2`,
        [tenant.organisation.id, file_id],
      );
      expect(refused(await anna.get(`/hr/documents/${id}/file`))).to.deep.equal([404, "not_found", "errors.file_bytes_missing"]);
    });
  });

  describe("DELETE /hr/documents/{document_id}", () => {
    it("removes the entry and the file's record at once", async () => {
      const { id } = await added();
      expect((await admin.delete(`/hr/documents/${id}`)).status).to.equal(204);
      expect([await counted("hr_documents"), await counted("files")]).to.deep.equal([0, 0]);
      expect(refused(await admin.delete(`/hr/documents/${id}`))).to.deep.equal(NOT_FOUND);
    });

    it("is closed to members, also for their own documents", async () => {
      const { id } = await added();
      expect(refused(await anna.delete(`/hr/documents/${id}`))).to.deep.equal(FORBIDDEN);
    });
  });

  it("keeps the dossier when the person is deactivated, leaves or is deleted; names stay as they were written", async () => {
    const { id } = await added();
    await service.sql.query("update memberships set deactivated_at = now() where id = $1", [anna.membershipId]);
    expect((await dossier(admin, anna.accountId)).body.documents).to.have.length(1);
    await service.sql.query("delete from memberships where id = any($1)", [[anna.membershipId, admin.membershipId]]);
    await service.sql.query("delete from accounts where id = any($1)", [[anna.accountId, admin.accountId]]);
    const { documents } = (await dossier(tenant.owner, anna.accountId)).body;
    expect(documents.map((one: { uploaded_by_name: string }) => one.uploaded_by_name)).to.deep.equal(["Petra Personeel"]);
    expect((await tenant.owner.get(`/hr/documents/${id}/file`)).status).to.equal(200);
    expect((await tenant.owner.delete(`/hr/documents/${id}`)).status).to.equal(204);
  });

  describe("the trail", () => {
    it("says who added, read and removed what", async () => {
      const { id } = await added({ title: "Arbeidsovereenkomst" });
      await anna.get(`/hr/documents/${id}/file`);
      await bram.get(`/hr/documents/${id}/file`);
      await admin.delete(`/hr/documents/${id}`);
      const lines = await trailOf(service.sql, "hr_dossier", anna.accountId);
      const payload = { category: "contract", title: "Arbeidsovereenkomst" };
      expect(lines.map((line) => [line.action, line.actor_name, line.payload])).to.deep.equal([
        ["document_added", "Petra Personeel", payload],
        ["document_read", "Anna", payload],
        ["document_removed", "Petra Personeel", payload],
      ]);
    });

    it("is read only by who may read the dossier", async () => {
      await added();
      const read = (who: Caller) => who.get(`/activity?entity_type=hr_dossier&entity_id=${anna.accountId}`);
      expect((await read(anna)).body).to.have.length(1);
      expect((await read(admin)).body).to.have.length(1);
      expect((await read(bram)).body).to.deep.equal([]);
      const blind = await tenant.member("member", { grants: ["activity.read"] });
      expect(refused(await read(blind))).to.deep.equal(FORBIDDEN);
    });
  });

  it("needs the hr licence to write, never to read", async () => {
    const { id } = await added();
    await service.sql.query("update product_licences set expires_at = '2020-01-01' where module = 'hr'");
    try {
      expect([
        (await upload({})).status,
        (await admin.delete(`/hr/documents/${id}`)).status,
        (await dossier(anna)).status,
        (await anna.get(`/hr/documents/${id}/file`)).status,
      ]).to.deep.equal([402, 402, 200, 200]);
      expect(refused(await upload({}, PDF, undefined, undefined, anna)), "403 comes first").to.deep.equal(FORBIDDEN);
    } finally {
      await service.sql.query("update product_licences set expires_at = '2200-01-01' where module = 'hr'");
    }
  });
});
