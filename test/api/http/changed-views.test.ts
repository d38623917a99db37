import { expect } from "chai";
import type { Answer } from "../../support/http.ts";
import { BEGINNING, delta } from "../../support/poller.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";

describe("a change of what a caller sees and does ends its copies", () => {
  let service: TestService;
  let tenant: Tenant;
  let [seen, other]: string[] = [];
  before(async () => {
    service = await sharedService();
  });
  beforeEach(async () => {
    tenant = await service.tenant();
    // An instant before the organisation begins a first copy.
    await service.sql.query("update organisations set created_at = created_at - interval '1 day' where id = $1", [
      tenant.organisation.id,
    ]);
    [seen, other] = [(await tenant.company({ name: "seen" })).id, (await tenant.company({ name: "other" })).id];
  });
  after(() => service.stop());

  const id = (value: string | undefined) => value as string;
  const since = (caller: Caller, instant: string, list = "/companies") => caller.get(`${list}?updated_since=${instant}`);
  const copied = async (caller: Caller): Promise<string> =>
    (await delta((path) => caller.get(path), "/companies", BEGINNING)).until;
  const isEnded = ({ status, body }: Answer) =>
    status === 410 && body.error.code === "gone" && body.error.message === "errors.sync_too_old";
  const until = ({ headers }: Answer) => headers["updated-until"] as string;
  async function few(): Promise<{ member: Caller; group: string }> {
    const member = await tenant.member("admin");
    return { member, group: await tenant.group("Few", [id(seen)], [member.membershipId]) };
  }
  const companies = (group: string, ids: (string | undefined)[]) =>
    tenant.owner.put(`/companies/groups/${group}/companies`, { company_ids: ids });

  it("by another selection or other grants: of pages, of plain arrays and of deleted rows", async () => {
    const member = await tenant.member("admin");
    const instant = await copied(member);
    expect((await since(member, instant)).status).to.equal(200);
    await tenant.group("Few", [id(seen)], [member.membershipId]);
    for (const answer of [
      await since(member, instant),
      await since(member, instant, "/contacts/types"),
      await member.get(`/deleted?entity_type=company&since=${instant}`),
      await since(member, instant),
    ])
      expect(isEnded(answer), answer.text).to.equal(true);
    expect(isEnded(await since(tenant.owner, instant)), "another caller").to.equal(false);
  });

  it("but a first copy always begins, and its instant is good", async () => {
    const member = await tenant.member("admin");
    const instant = await copied(member);
    await tenant.group("Few", [id(seen)], [member.membershipId]);
    expect((await since(member, BEGINNING)).status).to.equal(200);
    expect(isEnded(await since(member, instant))).to.equal(true);
    const next = until(await since(member, BEGINNING));
    expect((await since(member, next)).status).to.equal(200);
  });

  it("by a client that joins or leaves the groups of its selection", async () => {
    const { member, group } = await few();
    const first = await copied(member);
    await companies(group, [seen, other]);
    expect(isEnded(await since(member, first)), "joined").to.equal(true);
    const second = await copied(member);
    expect((await since(member, second)).status).to.equal(200);
    await companies(group, [other]);
    expect(isEnded(await since(member, second)), "left").to.equal(true);
  });

  it("but not by the deletion of a client: it is among the deleted", async () => {
    const { member, group } = await few();
    await companies(group, [seen, other]);
    const instant = await copied(member);
    expect((await since(member, instant)).status).to.equal(200);
    expect((await tenant.owner.delete(`/companies/${other}`)).status).to.equal(204);
    expect((await since(member, instant)).status).to.equal(200);
    const gone = await member.get(`/deleted?entity_type=company&since=${instant}`);
    expect(gone.body.items.map((row: { id: string }) => row.id)).to.deep.equal([other]);
  });

  it("with its cursors", async () => {
    const { member, group } = await few();
    await companies(group, [seen, other]);
    const address = "/companies?limit=1&sort=name";
    const { next_cursor } = (await member.get(address)).body;
    const second = () => member.get(`${address}&cursor=${encodeURIComponent(next_cursor)}`);
    expect((await second()).status).to.equal(200);
    await companies(group, [other]);
    expect(isEnded(await second())).to.equal(true);
  });

  it("of a key by its scopes, and of no other key", async () => {
    const account = await tenant.serviceAccount(["companies.company.read"]);
    const instant = await copied(account);
    await service.sql.query("update api_keys set scopes = $1 where id = $2", [
      ["companies.company.read", "contacts.contact.read"],
      account.keyId,
    ]);
    expect(isEnded(await since(account, instant))).to.equal(true);
    expect((await since(tenant.owner, instant)).status).to.equal(200);
  });
});
