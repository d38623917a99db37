import { expect } from "chai";
import { ruleOf } from "../../../../../integrations/edge/redirects/rules/rule.ts";
import type { Answer } from "../../../../support/http.ts";
import { refusalOf } from "../../../clients/companies/company-records.ts";
import { type AtEdge, type EdgeWorld, startEdge } from "./edge-redirects-world.ts";

const INTENT = {
  target_url: "https://nieuw.example",
  status_code: 301,
  preserve_path: true,
  preserve_query: true,
  include_subdomains: true,
};
const UNREACHABLE = [502, "edge_unreachable", null];

describe("answers of the edge provider that are lost", () => {
  let world: EdgeWorld;
  let domain: AtEdge;
  before(async () => {
    world = await startEdge();
  });
  beforeEach(async () => {
    domain = await world.connected();
  });
  afterEach(() => expect(world.edge.complaints).to.deep.equal([]));
  after(() => world.stop());

  const rules = () => world.edge.redirects.rules(domain.zone.id);
  const records = () => world.edge.state.records.filter(({ zone }) => zone === domain.zone.id);
  const put = (body: object = {}) => domain.put({ ...INTENT, ensure_origin: false, ...body });
  /** Loses the answers to such calls while something is tried. */
  const losing = async (calls: RegExp, attempt: () => Promise<Answer>): Promise<Answer> => {
    world.edge.received.length = 0;
    const undo = world.failing(domain, { kind: "lose" }, calls);
    const answer = await attempt();
    undo();
    return answer;
  };
  const times = (calls: RegExp) => world.edge.received.filter(({ method, path }) => calls.test(`${method} ${path}`)).length;

  it("of the first rule: it is sent once, and taken over by the next try", async () => {
    expect(refusalOf(await losing(/^PUT/, put))).to.deep.equal(UNREACHABLE);
    expect([times(/^PUT/), rules().length]).to.deep.equal([1, 1]);
    expect((await put()).body.last_status).to.equal("active");
    expect(rules()).to.have.length(1);
  });

  it("of a rule next to others: it is sent once, and adopted by the next try", async () => {
    world.edge.redirects.rule(domain.zone.id, { expression: "true" });
    expect(refusalOf(await losing(/^POST/, put))).to.deep.equal(UNREACHABLE);
    expect([times(/^POST/), rules().length]).to.deep.equal([1, 2]);
    expect((await put()).status).to.equal(200);
    expect(rules()).to.have.length(2);
  });

  it("of a change: it is sent once more, and again by the next try", async () => {
    await put();
    const change = { target_url: "https://ander.example" };
    expect(refusalOf(await losing(/^PATCH/, () => put(change)))).to.deep.equal(UNREACHABLE);
    expect(times(/^PATCH/)).to.equal(2);
    expect((await domain.check()).body.redirect).to.include({ target_url: INTENT.target_url, last_status: "drift" });
    expect((await put(change)).body).to.include({ ...change, last_status: "active", last_error: null });
    expect((await domain.check()).body.redirect_live.differences).to.deep.equal([]);
    expect(rules()).to.have.length(1);
  });

  it("of an origin: the redirect exists, and the next try creates no second one", async () => {
    const { status, body } = await losing(/^POST .*dns_records/, () => put({ ensure_origin: true }));
    expect([status, body.last_status, records().length]).to.deep.equal([200, "active", 1]);
    expect(body.last_error).to.be.a("string");
    expect((await put({ ensure_origin: true })).body.last_error).to.equal(null);
    expect(records().map(({ name }) => name)).to.have.members([domain.name, `www.${domain.name}`]);
  });

  it("of a removal: the redirect stays until the next try", async () => {
    await put();
    const remove = () => domain.tenant.owner.delete(domain.at("redirect"));
    // The second of the two calls is answered that the rule is gone, and that answer is lost as well.
    expect(refusalOf(await losing(/^DELETE/, remove))).to.deep.equal(UNREACHABLE);
    expect([rules().length, (await domain.status()).body.redirect.id]).to.satisfy(
      ([left, id]: [number, string]) => left === 0 && id,
    );
    expect((await remove()).status).to.equal(204);
    expect((await domain.status()).body.redirect).to.equal(null);
  });

  it("of another's rule that is led elsewhere, or removed", async () => {
    const { id } = world.edge.redirects.rule(domain.zone.id, { ...ruleOf(domain.name, INTENT), description: "theirs" });
    const at = domain.at(`redirect/rules/${id}`);
    const edit = () => domain.tenant.owner.put(at, { target_url: "https://ander.example" });
    expect(refusalOf(await losing(/^PATCH/, edit))).to.deep.equal(UNREACHABLE);
    expect((await edit()).body.conflicts).to.containSubset([{ rule_id: id, target_url: "https://ander.example" }]);
    expect(refusalOf(await losing(/^DELETE/, () => domain.tenant.owner.delete(at)))).to.deep.equal(UNREACHABLE);
    expect(rules()).to.deep.equal([]);
    expect((await domain.tenant.owner.delete(at)).status).to.equal(404);
    expect((await domain.check()).body.conflicts).to.deep.equal([]);
  });
});
