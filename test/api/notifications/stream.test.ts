import { setTimeout as delay, setImmediate } from "node:timers/promises";
import { expect } from "chai";
import pg from "pg";
import sinon from "sinon";
import { counted, uncounted } from "../../../core/request/statement-count.ts";
import { Hub, Listener, type Message } from "../../../services/notifications/stream/hub.ts";
import { type Caller, sharedService, type Tenant, type TestService } from "../../support/service.ts";
import { notify } from "../../support/streams/inbox.ts";
import { openStream, type Stream } from "../../support/streams/stream.ts";

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(\+00:00|Z)$/;

describe("GET /notifications/stream", function () {
  this.timeout(60_000);
  let service: TestService;
  let tenant: Tenant;
  const streams: Stream[] = [];
  before(async () => {
    service = await sharedService();
    tenant = await service.tenant();
  });
  afterEach(() => {
    for (const stream of streams.splice(0)) stream.close();
  });
  after(() => service.stop());

  const follow = async ({ key }: Caller, last?: string, host = tenant.host): Promise<Stream> => {
    const headers: Record<string, string> = last === undefined ? {} : { "Last-Event-ID": last };
    const stream = await openStream(service.port, "GET", "/notifications/stream", { host, key, headers });
    streams.push(stream);
    await stream.upTo(1);
    return stream;
  };
  const noticeFor = ({ accountId }: Caller, title = "A task", after = 0) => ({
    organisationId: tenant.organisation.id,
    accountId,
    title,
    after,
  });
  const titles = (stream: Stream) =>
    stream.events.flatMap(({ event, data }) => (event === "notification" ? [data.payload.title] : []));
  const counts = (stream: Stream) => stream.events.flatMap(({ event, data }) => (event === "unread" ? [data.count] : []));
  const lastId = (stream: Stream) => stream.events.at(-1)?.id as string;

  it("begins with the number of unread rows, and sends each new row with the new count", async () => {
    const member = await tenant.member("member");
    await notify(service.sql, noticeFor(member, "before"), noticeFor(member, "to come", 3600));
    const stream = await follow(member);
    expect(stream.events).to.have.length(1);
    expect(stream.events[0]).to.deep.include({ event: "unread", data: { count: 1 } });
    const [id] = await notify(service.sql, noticeFor(member, "now"));
    await stream.upTo(3);
    const [, { event, data }] = stream.events as [unknown, Stream["events"][0]];
    expect(event).to.equal("notification");
    const { created_at, visible_at, entity_id, ...rest } = data;
    expect(rest).to.deep.equal({
      id,
      event_type: "task.assigned",
      entity_type: "task",
      actor_name: "A colleague",
      payload: { title: "now" },
      read_at: null,
    });
    for (const instant of [created_at, visible_at]) expect(instant).to.match(INSTANT);
    expect(stream.events[2]?.data).to.deep.equal({ count: 2 });
  });

  it("sends a row and the count only when the row becomes visible", async () => {
    const member = await tenant.member("member");
    const stream = await follow(member);
    await notify(
      service.sql,
      noticeFor(member, "in two seconds", 2),
      noticeFor(member, "in an hour", 3600),
      noticeFor(member, "now"),
    );
    while (counts(stream).at(-1) !== 2) await stream.upTo(stream.events.length + 1);
    expect(titles(stream)).to.deep.equal(["now", "in two seconds"]);
    const { rows } = await service.sql.query(
      "select max(visible_at) <= clock_timestamp() as is_past from notifications where account_id = $1 and id = any($2)",
      [member.accountId, stream.events.flatMap(({ event, data }) => (event === "notification" ? [data.id] : []))],
    );
    expect(rows[0].is_past, "no row was sent before its time").to.equal(true);
  });

  it("sends the count when a row is marked read elsewhere, and no row", async () => {
    const member = await tenant.member("member");
    const [id] = await notify(service.sql, noticeFor(member));
    const stream = await follow(member);
    await service.sql.query("update notifications set read_at = now(), updated_at = statement_timestamp() where id = $1", [id]);
    await stream.upTo(2);
    expect([titles(stream), counts(stream)]).to.deep.equal([[], [1, 0]]);
  });

  it("sends a row that was committed long after its insert, even after later rows", async () => {
    const member = await tenant.member("member");
    const stream = await follow(member);
    // This uses the application's role: an open transaction of another role delays only its own rows.
    const slow = new pg.Client({ connectionString: service.database.application });
    await slow.connect();
    try {
      await slow.query("begin");
      await slow.query("select enter_organisation($1, null, false)", [tenant.organisation.id]);
      await notify(slow, noticeFor(member, "slow"));
      await delay(1500);
      await notify(service.sql, noticeFor(member, "quick"));
      await stream.upTo(3);
      await delay(1500);
      await slow.query("commit");
      await stream.upTo(5);
      expect([titles(stream), counts(stream)]).to.deep.equal([
        ["quick", "slow"],
        [0, 1, 2],
      ]);
    } finally {
      await slow.end();
    }
  });

  it("resumes after any event of its reader, with the rows since then and no row twice", async () => {
    const member = await tenant.member("member");
    const first = await follow(member);
    await notify(service.sql, noticeFor(member, "one"), noticeFor(member, "two"));
    await first.upTo(4);
    first.close();
    await notify(service.sql, noticeFor(member, "three"));
    await notify(service.sql, noticeFor(member, "four"));
    const expected = {
      0: ["one", "two", "three", "four"],
      1: ["two", "three", "four"],
      2: ["three", "four"],
      3: ["three", "four"],
    };
    const known = titles(first);
    for (const [place, rest] of Object.entries(expected)) {
      const again = await follow(member, first.events[Number(place)]?.id);
      await again.upTo(rest.length + 1);
      // Rows of one statement have one instant, and arrive in the order of their ids.
      const order = rest.map((title) => (title === "one" ? known[0] : title === "two" ? known[1] : title));
      expect([titles(again), counts(again)], place).to.deep.equal([order, [4]]);
    }
  });

  it("sends each of 60 rows once over 12 broken connections, and loses none of 200 rows with one instant", async () => {
    const member = await tenant.member("member");
    const got: string[] = [];
    let stream = await follow(member);
    const again = async () => {
      const last = lastId(stream);
      stream.close();
      got.push(...titles(stream));
      stream = await follow(member, last);
    };
    const writing = (async () => {
      for (let n = 0; n < 60; n++) {
        await notify(service.sql, noticeFor(member, `${n}`));
        await delay(25);
      }
    })();
    for (let connection = 1; connection < 12; connection++) {
      await delay(120);
      await again();
    }
    await writing;
    while (counts(stream).at(-1) !== 60) await delay(50);
    got.push(...titles(stream));
    expect(got.toSorted()).to.deep.equal(Array.from({ length: 60 }, (_, n) => `${n}`).toSorted());

    const before = stream.events.length;
    await notify(service.sql, ...Array.from({ length: 200 }, (_, n) => noticeFor(member, `many ${n}`)));
    await stream.upTo(before + 100);
    await again();
    while (counts(stream).at(-1) !== 260) await delay(50);
    expect(new Set([...got, ...titles(stream)])).to.have.length(260);
  });

  it("ignores a Last-Event-ID that it did not issue", async () => {
    const member = await tenant.member("member");
    await notify(service.sql, noticeFor(member));
    for (const last of ["17", "x".repeat(5000), "2999-01-01T00:00:00.000000Z"]) {
      const stream = await follow(member, last);
      expect([titles(stream), counts(stream)]).to.deep.equal([[], [1]]);
    }
  });

  it("shows each person their own inbox in one organisation, in every tab", async () => {
    const [one, two] = [await tenant.member("member"), await tenant.member("member")];
    const other = await service.tenant();
    await other.member("member");
    await service.sql.query("insert into memberships (organisation_id, account_id) values ($1, $2)", [
      other.organisation.id,
      one.accountId,
    ]);
    const tabs = [await follow(one), await follow(one), await follow(two)];
    const stranger = await follow(other.owner, undefined, other.host);
    await notify(service.sql, noticeFor(one, "for one"), {
      ...noticeFor(one, "elsewhere"),
      organisationId: other.organisation.id,
    });
    await notify(service.sql, noticeFor(two, "for two"));
    await notify(service.sql, { ...noticeFor(other.owner, "the last"), organisationId: other.organisation.id });
    for (const stream of [...tabs, stranger]) await stream.upTo(3);
    expect([...tabs, stranger].map(titles)).to.deep.equal([["for one"], ["for one"], ["for two"], ["the last"]]);
    expect(counts(stranger)).to.deep.equal([0, 1]);
  });

  it("is empty for a service account, which has no inbox", async () => {
    const stream = await follow(await tenant.serviceAccount(["notifications.notification.read"]));
    expect(stream.events.map(({ event, data }) => [event, data])).to.deep.equal([["unread", { count: 0 }]]);
  });

  describe("a poll of a node's inboxes", () => {
    let clock: sinon.SinonFakeTimers;
    let members: Caller[];
    const leave: (() => void)[] = [];
    beforeEach(async () => {
      members = [await tenant.member("member"), await tenant.member("member"), await tenant.member("member")];
      clock = sinon.useFakeTimers({
        toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"],
        shouldClearNativeTimers: true,
      });
    });
    afterEach(() => {
      for (const go of leave.splice(0)) go();
      clock.restore();
    });

    const hub = () => new Hub((error) => expect.fail(String(error)));
    /** Adds a stream; `next` resolves to its messages from the next poll. */
    const listen = (to: Hub, { accountId }: Caller) => {
      let heard = Promise.withResolvers<Message[]>();
      const deliver = (messages: Message[]) => {
        heard.resolve(messages);
        heard = Promise.withResolvers();
      };
      leave.push(to.add(tenant.organisation, accountId, new Listener(null, deliver)));
      return { next: () => heard.promise };
    };
    /** Advances the clock by some ms, and returns the messages of the streams from the poll due then. */
    const look = async (ms: number, ...streams: ReturnType<typeof listen>[]): Promise<Message[][]> => {
      const heard = streams.map((stream) => stream.next());
      clock.tick(ms);
      const messages = await Promise.all(heard);
      await setImmediate();
      return messages;
    };

    it("runs within a second, and sends the rows committed before it", async () => {
      const [member] = members as [Caller];
      const stream = listen(hub(), member);
      const [begun] = await look(10, stream);
      expect(begun).to.have.length(1);
      for (const title of ["one", "two"]) {
        await notify(service.sql, noticeFor(member, title));
        const [messages = []] = await look(999, stream);
        expect(messages.map(({ event }) => event)).to.deep.equal(["notification", "unread"]);
      }
    });

    it("serves other inboxes if those of five organisations cannot be read, and reports the error once", async () => {
      const [member] = members as [Caller];
      const troubles: unknown[] = [];
      const one = new Hub((error) => void troubles.push(error));
      for (let n = 0; n < 5; n++)
        leave.push(one.add({ ...tenant.organisation, id: `unreadable ${n}` }, member.accountId, new Listener(null, () => {})));
      const stream = listen(one, member);
      await look(10, stream);
      // The first poll ends after it reported the error. A second poll during the first would do nothing.
      while (troubles.length === 0) await setImmediate();
      await notify(service.sql, noticeFor(member));
      const [messages = []] = await look(500, stream);
      expect(messages.map(({ event }) => event)).to.deep.equal(["notification", "unread"]);
      expect(troubles).to.have.length(1);
    });

    it("takes the same number of statements for 90 streams of three people as for three", async () => {
      const asked = async (streamsOfEach: number): Promise<number> => {
        const tally = { statements: 0 };
        await counted(tally, async () => {
          const one = hub();
          const streams = Array.from({ length: streamsOfEach }, () => members)
            .flat()
            .map((member) => listen(one, member));
          await look(10, ...streams);
          await uncounted(() => notify(service.sql, ...members.map((member) => noticeFor(member))));
          await look(500, ...streams);
          for (const go of leave.splice(0)) go();
        });
        return tally.statements;
      };
      const few = await asked(1);
      // Each poll reads its position and the new rows; the second one also reads which inboxes have news.
      expect(few).to.equal(5);
      expect(await asked(30)).to.equal(few);
    });
  });
});
