import { expect } from "chai";
import type { Caller } from "../../support/service.ts";
import { type Advertiser, type AdvertisingWorld, advertiser, startAdvertising, writtenAccount } from "./advertising-world.ts";
import { FilledAccount } from "./reads-world.ts";

const READS = [
  "campaigns",
  "ad-groups",
  "keywords",
  "negatives",
  "search-terms",
  "ads",
  "devices",
  "geo",
  "conversions",
  "changes",
  "recommendations",
  "snapshot",
];
const QUERY = { query: "SELECT campaign.id FROM campaign" };
const IDEAS = { keywords: ["bread"] };

describe("Who reads an advertising account", () => {
  let world: AdvertisingWorld;
  let own: Advertiser;
  let account: string;
  before(async () => {
    world = await startAdvertising();
    world.ads.serve("generateKeywordIdeas", () => ({ status: 200, body: {} }));
  });
  beforeEach(async () => {
    world.reset();
    own = await advertiser(world);
    account = await writtenAccount(world.service, own);
  });
  afterEach(() => {
    expect([...world.google.complaints, ...world.ads.complaints]).to.deep.equal([]);
  });
  after(() => world.stop());

  /** The status of every read, of a query and of a request for ideas. */
  async function statuses(caller: Caller, id = account): Promise<Record<string, number>> {
    const path = `/ads-platform/accounts/${id}`;
    const found: Record<string, number> = {};
    for (const read of READS) found[read] = (await caller.get(`${path}/${read}`)).status;
    found["query"] = (await caller.post(`${path}/query`, QUERY)).status;
    found["keyword-ideas"] = (await caller.post(`${path}/keyword-ideas`, IDEAS)).status;
    return found;
  }
  const all = (status: number, more: object = {}) => ({
    ...Object.fromEntries([...READS, "query", "keyword-ideas"].map((read) => [read, status])),
    ...more,
  });

  it("is for an admin, and for a member except other members' queries; not for client logins", async () => {
    expect(await statuses(await own.tenant.member("admin"))).to.deep.equal(all(200));
    expect(await statuses(await own.tenant.member("member"))).to.deep.equal(all(200, { query: 403 }));
    world.ads.received.length = 0;
    expect(await statuses(await own.tenant.member("client"))).to.deep.equal(all(403));
    expect(world.ads.calls()).to.deep.equal([]);
  });

  it("who sees some clients sees their accounts and those without a client, and of others a 404 without a call", async () => {
    const [seen, hidden] = [await own.tenant.company(), await own.tenant.company()];
    const restricted = await own.tenant.member("admin");
    await own.tenant.group("Some", [seen.id], [restricted.membershipId]);
    const of = async (company_id: string) => {
      const customer = world.ads.state.customer();
      world.ads.state.let(own.person.subject, customer);
      return writtenAccount(world.service, { ...own, customer }, { company_id });
    };
    expect(await statuses(restricted)).to.deep.equal(all(200));
    expect(await statuses(restricted, await of(seen.id))).to.deep.equal(all(200));
    const before = world.ads.calls().length;
    expect(await statuses(restricted, await of(hidden.id))).to.deep.equal(all(404));
    expect(world.ads.calls()).to.have.length(before);
  });

  it("of another organisation cannot be read", async () => {
    const other = await world.service.tenant();
    expect(await statuses(other.owner)).to.deep.equal(all(404));
    expect(world.ads.calls()).to.deep.equal([]);
  });

  it("reads while the licence has lapsed, queries and ideas included", async () => {
    const expires = (interval: string) =>
      world.service.sql.query(
        `insert into product_licences (module, expires_at) values ('ads_platform', now() + $1::interval)
         on conflict (module) do update set expires_at = excluded.expires_at`,
        [interval],
      );
    await expires("-1 minute");
    try {
      expect(await statuses(own.owner)).to.deep.equal(all(200));
    } finally {
      await expires("1 year");
    }
  });

  it("takes as many statements for 300 rows as for 3", async () => {
    const filled = new FilledAccount(own.customer);
    const counts = async () => {
      // One after another: a call that waits for its turn at the account asks again for it.
      const answers: number[] = [];
      for (const read of READS)
        answers.push(Number((await own.owner.get(`/ads-platform/accounts/${account}/${read}`)).statements));
      return answers;
    };
    for (let id = 1; id <= 3; id += 1)
      filled.searchTerm(`term ${id}`, filled.adGroup(id, "A", filled.campaign(id, "C")), { clicks: 1 });
    const few = await counts();
    for (let id = 4; id <= 300; id += 1)
      filled.searchTerm(`term ${id}`, filled.adGroup(id, "A", filled.campaign(id, "C")), { clicks: 1 });
    expect(await counts()).to.deep.equal(few);
    expect(Math.max(...few)).to.be.at.most(8);
  });
});
