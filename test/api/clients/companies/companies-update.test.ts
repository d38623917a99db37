import { expect } from "chai";
import { sharedService, type Tenant, type TestService } from "../../../support/service.ts";
import { invalidOn, refusalOf } from "./company-records.ts";

const UNKNOWN = "00000000-0000-4000-8000-000000000000";

describe("one company", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const patch = (id: string, body: unknown, headers: Record<string, string> = {}) =>
    tenant.owner.patch(`/companies/${id}`, body, { headers });

  describe("PATCH /companies/{company_id}", () => {
    const full = {
      name: "Acme",
      legal_name: "Acme B.V.",
      website: "acme.test",
      phone: "+31201234567",
      invoice_email: "pay@acme.test",
      vat_number: "V",
      coc_number: "C",
      address_line1: "A",
      house_number: "1",
      address_line2: "B",
      postal_code: "1012 LG",
      city: "Amsterdam",
      country: "NL",
      notes: "n",
    };

    it("changes only the sent fields", async () => {
      const before = await tenant.company(full);
      const { status, body } = await patch(before.id, { city: "Ede" });
      expect(status).to.equal(200);
      expect(body).to.deep.equal({ ...before, city: "Ede", updated_at: body.updated_at });
      expect(body.updated_at > (before["updated_at"] as string)).to.equal(true);
    });

    it("clears by null and by blanks every field that may be empty", async () => {
      const { name: _name, ...clearable } = { ...full, client_number: "K-1" };
      for (const empty of [null, "", "  "]) {
        const { id } = await tenant.company({ ...full, client_number: "K-1" });
        const { body } = await patch(id, Object.fromEntries(Object.keys(clearable).map((field) => [field, empty])));
        for (const field of Object.keys(clearable)) expect(body[field], `${field} ${JSON.stringify(empty)}`).to.equal(null);
        expect(body.name).to.equal("Acme");
      }
    });

    for (const field of ["name", "status"])
      it(`refuses null for ${field}, which can never be empty`, async () => {
        const { id } = await tenant.company();
        expect(refusalOf(await patch(id, { [field]: null }))).to.deep.equal(invalidOn({ [field]: "errors.validation" }));
      });

    it("refuses an unknown status, an empty and a blank name", async () => {
      const { id } = await tenant.company();
      expect(refusalOf(await patch(id, { status: "gone" }))).to.deep.equal(invalidOn({ status: "errors.validation" }));
      for (const name of ["", "  "])
        expect(refusalOf(await patch(id, { name }))).to.deep.equal(invalidOn({ name: "errors.validation" }));
    });

    it("moves every status to every other", async () => {
      const { id } = await tenant.company({ status: "lead" });
      const all = ["lead", "onboarding", "active", "offboarding", "archived"];
      for (const from of all)
        for (const to of all) {
          await patch(id, { status: from });
          expect((await patch(id, { status: to })).body.status).to.equal(to);
        }
    });

    it("treats null custom values as none, and refuses an unknown one", async () => {
      const { id } = await tenant.company();
      expect((await patch(id, { custom: null })).body.custom).to.deep.equal({});
      expect(refusalOf(await patch(id, { custom: { a: 1 } }))).to.deep.equal(
        invalidOn({ a: "customfields.errors.unknown_field" }),
      );
    });

    it("ignores stored custom values if none are sent", async () => {
      const { id } = await tenant.company();
      await service.sql.query(`update companies set custom = '{"gone": 1}' where id = $1`, [id]);
      const { status, body } = await patch(id, { city: "Ede" });
      expect([status, body.custom]).to.deep.equal([200, { gone: 1 }]);
    });

    it("strips notes each time and keeps entities and markdown", async () => {
      const { id } = await tenant.company();
      const typed = "# a < b &lt;i&gt; <https://x.nl> <i>c</i><script>d</script>";
      const first = await patch(id, { notes: typed });
      expect(first.body.notes).to.equal("# a < b &lt;i&gt; <https://x.nl> c");
      const again = await patch(id, { notes: first.body.notes });
      expect(again.headers["etag"]).to.equal(first.headers["etag"]);
    });

    it("ignores id, organisation and unknown keys", async () => {
      const before = await tenant.company();
      const { status, body } = await patch(before.id, { id: UNKNOWN, org_id: UNKNOWN, created_at: null, updated_at: null, x: 1 });
      expect(status).to.equal(200);
      expect(body).to.deep.equal(before);
    });

    it("changes nothing, not even the tag, when nothing differs", async () => {
      const before = await tenant.company(full);
      const { body, headers } = await patch(before.id, { ...full, status: "active", custom: {}, assignees: [], notes: "n" });
      expect(body).to.deep.equal(before);
      expect(headers["etag"]).to.equal('"1"');
    });

    it("answers 404 for a company that is not there, or another organisation's", async () => {
      const other = await (await service.tenant()).company();
      for (const id of [UNKNOWN, other.id]) {
        expect(refusalOf(await patch(id, { name: "X" }))).to.deep.equal([404, "not_found", null]);
        expect(refusalOf(await tenant.owner.get(`/companies/${id}`))).to.deep.equal([404, "not_found", null]);
        expect(refusalOf(await tenant.owner.delete(`/companies/${id}`))).to.deep.equal([404, "not_found", null]);
      }
    });

    it("answers 422 for an invalid id, and 403 first without the permission", async () => {
      expect(refusalOf(await patch("x", {}))).to.deep.equal(invalidOn({ company_id: "errors.validation" }));
      const member = await tenant.member("member");
      expect((await member.patch("/companies/x", {})).status).to.equal(403);
    });
  });

  describe("phones", () => {
    it("keeps an unreadable number through other changes", async () => {
      const { id } = await tenant.company();
      await service.sql.query("update companies set phone = 'ask Jan' where id = $1", [id]);
      expect((await patch(id, { city: "Ede" })).body.phone).to.equal("ask Jan");
      expect((await patch(id, { city: "Epe", phone: "ask Jan" })).body.phone).to.equal("ask Jan");
      expect(refusalOf(await patch(id, { phone: "ask Piet" }))).to.deep.equal(invalidOn({ phone: "errors.invalid_phone" }));
      expect((await patch(id, { phone: "" })).body.phone).to.equal(null);
    });

    it("reads a national number in the row's country, the new one if it changes too", async () => {
      const { id } = await tenant.company({ country: "BE" });
      expect((await patch(id, { phone: "02 511 12 34" })).body.phone).to.equal("+3225111234");
      expect((await patch(id, { phone: "030 123456", country: "de" })).body).to.include({ phone: "+4930123456", country: "de" });
      expect((await patch(id, { country: "US" })).body.phone).to.equal("+4930123456");
    });

    it("reads it in the organisation's country if the row has none", async () => {
      const { id } = await tenant.company();
      expect((await patch(id, { phone: "020 123 4567" })).body.phone).to.equal("+31201234567");
      await service.sql.query("update organisations set country = 'BE' where id = $1", [tenant.organisation.id]);
      expect((await patch(id, { phone: "02 511 12 34" })).body.phone).to.equal("+3225111234");
      await service.sql.query("update organisations set country = 'NL' where id = $1", [tenant.organisation.id]);
    });

    it("takes another way of writing the stored number as no change", async () => {
      const { id } = await tenant.company({ phone: "020 123 4567" });
      expect((await patch(id, { phone: "+31 20 1234567" })).headers["etag"]).to.equal('"1"');
    });
  });

  describe("If-Match", () => {
    it("lets exactly one of two writers with the same tag through", async () => {
      const { id } = await tenant.company();
      const headers = { "If-Match": '"1"' };
      const answers = await Promise.all(["One", "Other"].map((name) => patch(id, { name }, headers)));
      expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 412]);
      const winner = answers.find(({ status }) => status === 200);
      expect((await tenant.owner.get(`/companies/${id}`)).body.name).to.equal(winner?.body.name);
    });

    it("holds for a delete as well, and * always does", async () => {
      const { id } = await tenant.company();
      const stale = await tenant.owner.delete(`/companies/${id}`, { headers: { "If-Match": '"7"' } });
      expect(refusalOf(stale)).to.deep.equal([412, "precondition_failed", null]);
      expect((await tenant.owner.delete(`/companies/${id}`, { headers: { "If-Match": "*" } })).status).to.equal(204);
    });

    it("moves on with the roster, and does not with a write that changes nothing", async () => {
      const { id } = await tenant.company();
      expect((await patch(id, { responsible_user_id: tenant.owner.accountId })).headers["etag"]).to.equal('"2"');
      expect((await patch(id, { responsible_user_id: tenant.owner.accountId })).headers["etag"]).to.equal('"2"');
      expect((await tenant.owner.get(`/companies/${id}`)).headers["etag"]).to.equal('"2"');
    });
  });

  describe("DELETE /companies/{company_id}", () => {
    it("removes the company with roster and memberships of groups", async () => {
      const { id } = await tenant.company({ responsible_user_id: tenant.owner.accountId });
      const groupId = await tenant.group("Doomed", [id], []);
      const answer = await tenant.owner.delete(`/companies/${id}`);
      expect([answer.status, answer.text]).to.deep.equal([204, ""]);
      expect((await tenant.owner.get(`/companies/${id}`)).status).to.equal(404);
      expect((await tenant.owner.delete(`/companies/${id}`)).status).to.equal(404);
      for (const table of ["company_assignees", "company_group_companies"]) {
        const { rows } = await service.sql.query(`select 1 from ${table} where company_id = $1`, [id]);
        expect(rows, table).to.have.lengthOf(0);
      }
      const groups = (await tenant.owner.get("/companies/groups")).body as { id: string; company_ids: string[] }[];
      expect(groups.find((group) => group.id === groupId)?.company_ids).to.deep.equal([]);
    });

    it("touches the groups it leaves", async () => {
      const { id } = await tenant.company();
      const groupId = await tenant.group("Left", [id], []);
      const since = new Date().toISOString();
      await tenant.owner.delete(`/companies/${id}`);
      const changed = (await tenant.owner.get(`/companies/groups?updated_since=${since}`)).body as { id: string }[];
      expect(changed.map((group) => group.id)).to.deep.equal([groupId]);
    });

    it("needs its own permission", async () => {
      const { id } = await tenant.company();
      const writer = await tenant.member("member", { grants: ["companies.company.read", "companies.company.write"] });
      expect((await writer.delete(`/companies/${id}`)).status).to.equal(403);
      const admin = await tenant.member("admin");
      expect((await admin.delete(`/companies/${id}`)).status).to.equal(204);
    });
  });
});
