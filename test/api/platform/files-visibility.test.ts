import { randomUUID } from "node:crypto";
import { expect } from "chai";
import { action } from "../../../core/declare/action.ts";
import { keepFile } from "../../../core/files/files.ts";
import { upload } from "../../../core/files/upload.ts";
import { answer, input, uuid } from "../../../core/schema/schema.ts";
import { service as actor } from "../../../mixins/resource.ts";
import { fileBody } from "../../support/multipart.ts";
import { png } from "../../support/pictures.ts";
import { type Caller, startService, type Tenant, type TestService } from "../../support/service.ts";
import { attach, storedFiles } from "./files-support.ts";

/** Adds files that only their module adds and removes, visible to their subject and to readers of all (people §12). */
const dossier = actor("hr.fixture", {
  actions: {
    add: action({
      rest: "POST /fixture/dossiers/:user_id",
      summary: "Add to a dossier",
      permission: "hr.document.manage",
      body: input("FixtureDossier", { file: upload() }),
      returns: answer("FixtureDossierRead", { id: uuid() }),
      handler: async (ctx) => ({
        id: await keepFile(ctx.params.body.file, { entityType: "hr_dossier", entityId: ctx.params.user_id }),
      }),
    }),
  },
});

describe("who sees files", () => {
  let service: TestService;
  let tenant: Tenant;
  before(async () => {
    service = await startService({}, [dossier]);
    tenant = await service.tenant();
  });
  after(() => service.stop());

  const get = (caller: Caller, id: string) => caller.get(`/files/${id}`);
  const list = async (caller: Caller, type: string, id: string) =>
    (await caller.get(`/files?entity_type=${type}&entity_id=${id}`)).body;
  const statusesOf = async (caller: Caller, type: string, entityId: string, fileId: string) => [
    (await get(caller, fileId)).status,
    (await list(caller, type, entityId)).length,
    (await attach(caller, `entity_type=${type}&entity_id=${entityId}`)).status,
    (await caller.delete(`/files/${fileId}`)).status,
  ];

  describe("with a restricted selection", () => {
    it("are those of visible clients; an invisible one's are 404, [] and 404", async () => {
      const [inside, outside] = [await tenant.company(), await tenant.company()];
      const restricted = await tenant.member("admin");
      await tenant.group(randomUUID(), [inside.id], [restricted.membershipId]);
      const files = await Promise.all(
        [inside, outside].map(async ({ id }) => (await attach(tenant.owner, `entity_type=company&entity_id=${id}`)).body.id),
      );
      expect(await statusesOf(restricted, "company", outside.id, files[1])).to.deep.equal([404, 0, 404, 404]);
      expect(await statusesOf(restricted, "company", inside.id, files[0])).to.deep.equal([200, 1, 201, 204]);
    });

    it("follow a contact's links, and unlinked contacts stay with staff", async () => {
      const [inside, outside] = [await tenant.company(), await tenant.company()];
      const restricted = await tenant.member("admin");
      await tenant.group(randomUUID(), [inside.id], [restricted.membershipId]);
      const contact = async (companyIds: string[]) =>
        (await tenant.owner.post("/contacts", { first_name: "Somebody", company_ids: companyIds })).body.id;
      for (const [companyIds, wanted] of [
        [[inside.id], 200],
        [[outside.id], 404],
        [[], 200],
      ] as const) {
        const id = await contact([...companyIds]);
        const file = (await attach(tenant.owner, `entity_type=contact&entity_id=${id}`)).body.id;
        expect((await get(restricted, file)).status).to.equal(wanted);
        expect((await list(restricted, "contact", id)).length).to.equal(wanted === 200 ? 1 : 0);
      }
    });
  });

  describe("as a client login", () => {
    it("are those of its own clients and their contacts, never of unlinked contacts", async () => {
      const [own, other] = [await tenant.company(), await tenant.company()];
      const client = await tenant.member("client", { grants: ["companies.company.read", "contacts.contact.read"] });
      await service.sql.query(
        "insert into membership_roles select $1, $2, id from roles where organisation_id = $1 and key = 'client'",
        [tenant.organisation.id, client.membershipId],
      );
      const contact = await tenant.owner.post("/contacts", { first_name: "Client", company_ids: [own.id] });
      await service.sql.query("update contacts set account_id = $1 where id = $2", [client.accountId, contact.body.id]);
      const loose = (await tenant.owner.post("/contacts", { first_name: "Loose" })).body.id;
      const fileOf = async (type: string, id: string) =>
        (await attach(tenant.owner, `entity_type=${type}&entity_id=${id}`)).body.id;
      const rows: [string, string, number][] = [
        ["company", own.id, 200],
        ["company", other.id, 404],
        ["contact", contact.body.id, 200],
        ["contact", loose, 404],
      ];
      for (const [type, id, wanted] of rows) {
        expect((await get(client, await fileOf(type, id))).status, type).to.equal(wanted);
        expect((await list(client, type, id)).length).to.equal(wanted === 200 ? 1 : 0);
      }
    });
  });

  it("of another organisation are 404 by id, for everything", async () => {
    const other = await service.tenant();
    const { body } = await attach(tenant.owner, `entity_type=company&entity_id=${(await tenant.company()).id}`);
    expect((await get(other.owner, body.id)).status).to.equal(404);
    expect((await other.owner.delete(`/files/${body.id}`)).status).to.equal(404);
    expect((await service.call("GET", `/files/${body.id}/public`, { host: other.host })).status).to.equal(404);
    expect((await get(tenant.owner, body.id)).status).to.equal(200);
  });

  it("by anonymous callers", async () => {
    const { body } = await attach(tenant.owner, `entity_type=company&entity_id=${(await tenant.company()).id}`);
    expect((await service.call("GET", `/files/${body.id}`, { host: tenant.host })).status).to.equal(401);
    expect((await service.call("GET", `/files?entity_type=company&entity_id=${body.id}`, { host: tenant.host })).status).to.equal(
      401,
    );
  });

  describe("branding", () => {
    const upload = (caller: Caller, query = "entity_type=branding", content: Buffer | string = png(), type = "image/png") =>
      attach(caller, query, content, type, "logo.png");
    const open = (id: string, host = tenant.host, headers = {}) => service.call("GET", `/files/${id}/public`, { host, headers });

    it("is public, and only branding is", async () => {
      const bytes = png();
      const { status, body } = await upload(tenant.owner, undefined, bytes);
      expect([status, body.entity_id]).to.deep.equal([201, tenant.organisation.id]);
      const answer = await open(body.id);
      expect([answer.status, answer.bytes.equals(bytes)]).to.deep.equal([200, true]);
      expect(answer.headers).to.include({ "cache-control": "public, max-age=3600", etag: `"${body.id}"` });
      expect((await open(body.id, tenant.host, { "If-None-Match": `"${body.id}"` })).status).to.equal(304);
      const member = await tenant.member("member");
      expect((await get(member, body.id)).status).to.equal(200);
      const other = await attach(
        tenant.owner,
        `entity_type=company&entity_id=${(await tenant.company()).id}`,
        png(),
        "image/png",
      );
      expect((await open(other.body.id)).status).to.equal(404);
      expect((await open(randomUUID())).status).to.equal(404);
    });

    it("stays public while the organisation is suspended", async () => {
      const other = await service.tenant();
      const { body } = await upload(other.owner);
      await service.sql.query("update organisations set status = 'suspended' where id = $1", [other.organisation.id]);
      expect((await open(body.id, other.host)).status).to.equal(200);
      expect((await get(other.owner, body.id)).status).to.equal(403);
    });

    it("also needs settings.branding.write, to add and to remove", async () => {
      const grants = ["files.file.write"];
      const clerk = await tenant.member("member", { grants });
      const designer = await tenant.member("member", { grants: [...grants, "settings.branding.write"] });
      expect((await upload(clerk)).status).to.equal(403);
      const { status, body } = await upload(designer);
      expect(status).to.equal(201);
      expect((await clerk.delete(`/files/${body.id}`)).status).to.equal(403);
      expect((await designer.delete(`/files/${body.id}`)).status).to.equal(204);
    });

    it("takes pictures only", async () => {
      const { status, body } = await upload(tenant.owner, undefined, "%PDF-1.7\n", "application/pdf");
      expect([status, body.error.fields]).to.deep.equal([422, { file: "errors.upload_type" }]);
    });
  });

  describe("avatars", () => {
    it("are visible to everyone, added by the person, and deleted by the uploader alone", async () => {
      const [anna, bram] = [await tenant.member("member"), await tenant.member("admin")];
      const { status, body } = await attach(anna, "entity_type=avatar", png(), "image/png");
      expect([status, body.entity_id]).to.deep.equal([201, anna.accountId]);
      expect((await get(bram, body.id)).status).to.equal(200);
      expect((await attach(bram, `entity_type=avatar&entity_id=${anna.accountId}`, png(), "image/png")).status).to.equal(403);
      expect((await bram.delete(`/files/${body.id}`)).status).to.equal(403);
      expect((await tenant.owner.delete(`/files/${body.id}`)).status).to.equal(403);
      expect((await anna.delete(`/files/${body.id}`)).status).to.equal(204);
    });

    it("and branding are known by their id in capitals too", async () => {
      const anna = await tenant.member("member");
      const avatar = `entity_type=avatar&entity_id=${String(anna.accountId).toUpperCase()}`;
      expect((await attach(anna, avatar, png(), "image/png")).status).to.equal(201);
      expect((await anna.get(`/files?${avatar}`)).body).to.have.length(1);
      const branding = `entity_type=branding&entity_id=${tenant.organisation.id.toUpperCase()}`;
      const { status, body } = await attach(tenant.owner, branding, png(), "image/png");
      expect([status, body.entity_id]).to.deep.equal([201, tenant.organisation.id]);
      const listed = (await anna.get(`/files?${branding}`)).body.map(({ id }: { id: string }) => id);
      expect(listed).to.include(body.id);
    });

    it("need a person, and a picture", async () => {
      const robot = await tenant.serviceAccount(["files.file.write"]);
      expect((await attach(robot, "entity_type=avatar", png(), "image/png")).status).to.equal(403);
      expect((await attach(tenant.owner, "entity_type=avatar", "text")).body.error.fields).to.deep.equal({
        file: "errors.upload_type",
      });
    });
  });

  describe("of a module's own kind", () => {
    it("are added and removed by its endpoints only, and visible to its readers", async () => {
      const [anna, bram] = [await tenant.member("member"), await tenant.member("member")];
      const admin = await tenant.member("admin");
      const sent = fileBody("secret", "text/plain", "contract.txt");
      const made = await tenant.owner.post(`/fixture/dossiers/${anna.accountId}`, sent.body, { headers: sent.headers });
      expect(made.status, made.text).to.equal(201);
      const { id } = made.body;
      expect((await get(anna, id)).text).to.equal("secret");
      expect((await list(anna, "hr_dossier", anna.accountId)).length).to.equal(1);
      expect(await statusesOf(bram, "hr_dossier", anna.accountId, id)).to.deep.equal([404, 0, 404, 404]);
      expect(await statusesOf(admin, "hr_dossier", anna.accountId, id)).to.deep.equal([200, 1, 403, 403]);
      const nobody = await tenant.member("member", { grants: [] });
      expect((await get(nobody, id)).status).to.equal(404);
    });
  });

  it("keep no bytes of a refused upload", async () => {
    const before = storedFiles().length;
    const member = await tenant.member("member");
    await attach(member, `entity_type=hr_dossier&entity_id=${member.accountId}`);
    await attach(member, `entity_type=company&entity_id=${randomUUID()}`);
    await attach(member, "entity_type=branding", png(), "image/png");
    expect(storedFiles().length).to.equal(before);
  });
});
