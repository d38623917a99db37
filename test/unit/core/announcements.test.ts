import { expect } from "chai";
import { ServiceBroker, type ServiceSchema } from "moleculer";
import sinon from "sinon";
import { announcementMiddleware } from "../../../operator/packets/announcements.ts";
import { until } from "../../support/jobs.ts";

/** A packet that a node has sent, with its content. */
interface Sent {
  type: string;
  target: string | null;
  payload: { services?: { name: string }[]; digests?: string[]; wants?: string[] | null };
}

const SCHEMA = { query: { name: { type: "string", description: "x".repeat(1000) } } };
const actor = (name: string, extra: object = {}): ServiceSchema => ({
  name,
  actions: { get: { rest: "GET /", ...SCHEMA, ...extra, handler: (ctx) => `${name} of ${ctx.broker.nodeID}` } },
});
const [COMPANIES, CONTACTS] = [actor("companies"), actor("contacts")];

/** Nodes on Moleculer's transporter inside one process: it carries the packets of its brokers as texts. */
describe("nodes that announce themselves", () => {
  const running: ServiceBroker[] = [];
  let installation = 0;
  beforeEach(() => (installation += 1));
  afterEach(() => Promise.all(running.splice(0).map((broker) => broker.stop())));

  /**
   * Starts a node.
   * @param options `earlier`: of a version that announces all its declarations. `isLost`: packets that do not arrive
   */
  async function start(
    nodeID: string,
    actors: readonly ServiceSchema[],
    { earlier = false, isLost = () => false }: { earlier?: boolean; isLost?: (packet: Sent) => boolean } = {},
  ) {
    const sent: Sent[] = [];
    const record = {
      transitPublish: (next: (packet: Sent) => Promise<unknown>) => (packet: Sent) => {
        if (isLost(packet)) return Promise.resolve();
        sent.push(packet);
        return next(packet);
      },
    };
    const broker = new ServiceBroker({
      namespace: `announcements-${installation}`,
      nodeID,
      transporter: "Fake",
      logger: false,
      heartbeatInterval: 1,
      registry: { stopDelay: 0 },
      skipProcessEventRegistration: true,
      // The first one sees what the others make of a packet.
      middlewares: (earlier ? [record] : [record, announcementMiddleware()]) as never[],
    });
    for (const schema of actors) broker.createService(schema);
    running.push(broker);
    await broker.start();
    const infos = () => sent.filter(({ type }) => type === "INFO");
    return {
      broker,
      infos,
      /** Names of the actors whose declarations the node has sent, and to whom. */
      whole: () =>
        infos().flatMap(({ target, payload }) =>
          (payload.services ?? []).flatMap(({ name }) => (name.startsWith("$") ? [] : [`${name} to ${target}`])),
        ),
      /** Names of the actions that the node knows from another one. */
      known: (other: string) => {
        const listed = broker.registry.getServiceList({ withActions: true, skipInternal: true }) as unknown as {
          nodeID: string;
          actions: Record<string, object>;
        }[];
        return listed.flatMap(({ nodeID: id, actions }) => (id === other ? Object.values(actions) : []));
      },
    };
  }
  type Node = Awaited<ReturnType<typeof start>>;
  const meet = (one: Pick<Node, "known">, other: string, count: number) => until(() => one.known(other).length === count);
  const call = ({ broker }: Node, action: string, nodeID: string) => broker.call(action, {}, { nodeID });

  it("send no declaration to a node that has the same, and are called by it", async () => {
    const one = await start("one", [COMPANIES, CONTACTS]);
    const two = await start("two", [COMPANIES, CONTACTS]);
    await Promise.all([meet(one, "two", 2), meet(two, "one", 2)]);
    expect([one.whole(), two.whole()]).to.deep.equal([[], []]);
    expect(await call(one, "companies.get", "two")).to.equal("companies of two");
    expect(await call(two, "contacts.get", "one")).to.equal("contacts of one");
    expect(one.known("two")[0]).to.deep.include({ name: "companies.get", rest: "GET /", ...SCHEMA });
  });

  it("send a gateway each declaration once, whichever of them is asked", async () => {
    const workers = await Promise.all(["one", "two", "three"].map((id) => start(id, [COMPANIES, CONTACTS])));
    const gateway = await start("gateway", [actor("api")]);
    for (const id of ["one", "two", "three"]) await meet(gateway, id, 2);
    expect(workers.flatMap((worker) => worker.whole())).to.deep.equal(["companies to gateway", "contacts to gateway"]);
    for (const id of ["one", "two", "three"]) expect(await call(gateway, "contacts.get", id)).to.equal(`contacts of ${id}`);
    const late = await start("late", [COMPANIES, CONTACTS]);
    await meet(gateway, "late", 2);
    expect(late.whole()).to.deep.equal([]);
  });

  it("send only what differs between two versions", async () => {
    const one = await start("one", [COMPANIES, CONTACTS]);
    const two = await start("two", [COMPANIES, actor("contacts", { rest: "GET /new" })]);
    await Promise.all([meet(one, "two", 2), meet(two, "one", 2)]);
    expect([one.whole(), two.whole()]).to.deep.equal([["contacts to two"], ["contacts to one"]]);
    expect(one.known("two").map((action) => (action as { rest: string }).rest)).to.deep.equal(["GET /", "GET /new"]);
  });

  it("understand a node of an earlier version, which gets all declarations", async () => {
    const earlier = await start("earlier", [COMPANIES], { earlier: true });
    const one = await start("one", [COMPANIES, CONTACTS]);
    const later = await start("later", [CONTACTS], { earlier: true });
    await Promise.all([meet(one, "earlier", 1), meet(earlier, "one", 2), meet(later, "one", 2), meet(one, "later", 1)]);
    expect(await call(earlier, "contacts.get", "one")).to.equal("contacts of one");
    expect(await call(one, "companies.get", "earlier")).to.equal("companies of earlier");
    expect(earlier.known("one")[0]).to.deep.include({ name: "companies.get", ...SCHEMA });
    expect(one.infos().filter(({ payload }) => payload.digests)).to.deep.equal([]);
  });

  it("report an actor that a running node adds, and that a node stops", async () => {
    const one = await start("one", [COMPANIES]);
    const two = await start("two", [COMPANIES]);
    await meet(two, "one", 1);
    one.broker.createService(CONTACTS);
    await meet(two, "one", 2);
    expect(one.whole()).to.deep.equal(["contacts to two"]);
    await one.broker.stop();
    await meet(two, "one", 0);
  });

  it("ask another node when the one that was asked does not answer", async () => {
    const workers = await Promise.all(["one", "two"].map((id) => start(id, [COMPANIES])));
    let lost = 0;
    const isLost = ({ type, payload }: Sent) => type === "DISCOVER" && (payload.wants?.length ?? 0) > 0 && lost++ === 0;
    const gateway = await start("gateway", [], { isLost });
    for (const id of ["one", "two"]) await meet(gateway, id, 1);
    expect(workers.flatMap((worker) => worker.whole())).to.deep.equal(["companies to gateway"]);
  });

  it("ask once by digest, then for all declarations, a node whose digests match none of them", async () => {
    const publish = sinon.fake.resolves(undefined);
    const nodes = { localNode: { seq: 1, cpu: 0 }, toArray: () => [] };
    const discoverer = { discoverAllNodes: async () => [] };
    const { created, transitMessageHandler } = announcementMiddleware();
    created({
      ...{ instanceID: "x", started: true, stopping: false, transit: { publish } },
      getLocalNodeInfo: () => ({ services: [] }) as never,
      registry: { discoverer, nodes },
    });
    const receive = transitMessageHandler(async () => true);
    await receive("INFO", { payload: { sender: "one", services: [], digests: ["none"] } });
    await receive("INFO", { payload: { sender: "one", services: [{ name: "companies" }], digests: ["none"] } });
    const wants = publish.args.map(([{ target, payload }]) => [target, payload.wants]);
    expect(wants).to.deep.equal([
      ["one", ["none"]],
      ["one", null],
    ]);
  });
});
