import { expect } from "chai";
import type { Change } from "../../../sdk/typescript/src/changes.ts";
import { Client, methodsOf } from "../../../sdk/typescript/src/client.ts";
import type { EventStream } from "../../../sdk/typescript/src/events.ts";
import { eventsOf } from "../../../sdk/typescript/src/events.ts";
import type { Listing, Page } from "../../../sdk/typescript/src/listing.ts";
import { type Scripted, StrictServer } from "./strict-server.ts";

type Row = { id: string };
interface Api {
  rows: { list(query?: object): Listing<Row, Page<Row>>; stream(): EventStream };
  kinds: { list(query?: object): Listing<Row, Row[]> };
}
const TABLE = {
  "rows.list": "GET /rows query answers:page limit count",
  "rows.stream": "GET /stream answers:events",
  "kinds.list": "GET /kinds query answers:list",
};
const page = (ids: string[], next_cursor: string | null, headers: Record<string, string> = {}): Scripted => ({
  status: 200,
  body: { items: ids.map((id) => ({ id, reason: "deleted" })), next_cursor },
  headers,
});
const UNTIL = { "updated-until": "2026-03-02T09:30:00Z" };
const tooOld: Scripted = { status: 410, body: { error: { code: "sync_too_old", message: "errors.sync_too_old" } } };

describe("lists of the TypeScript client", () => {
  let server: StrictServer;
  const client = async (script: Scripted[]): Promise<Api> => {
    server = new StrictServer(script);
    return methodsOf(new Client({ baseUrl: await server.start() }), TABLE) as unknown as Api;
  };
  afterEach(async () => {
    expect(server.left).to.equal(0);
    await server.stop();
  });
  const urls = () => server.received.map(({ url }) => decodeURIComponent(url.replace("/api/v1", "")));
  const all = async (changes: AsyncIterable<Change<Row>>) => {
    const found: string[] = [];
    for await (const change of changes)
      found.push(change.kind === "saved" ? `+${change.row.id}` : change.kind === "deleted" ? `-${change.id}` : "restarted");
    return found;
  };

  it("are one page when awaited", async () => {
    const { rows } = await client([page(["1"], "c")]);
    expect((await rows.list({ limit: 5 })).next_cursor).to.equal("c");
    expect(urls()).to.deep.equal(["/rows?limit=5"]);
  });

  it("are all rows when walked, by cursor, in large pages without counting", async () => {
    const { rows } = await client([page(["1", "2"], "c1"), page([], "c2"), page(["3"], null)]);
    const found = await rows.list({ q: "a", offset: 0 }).toArray();
    expect(found.map(({ id }) => id)).to.deep.equal(["1", "2", "3"]);
    expect(urls()).to.deep.equal([
      "/rows?q=a&offset=0&limit=200&count=false",
      "/rows?q=a&limit=200&count=false&cursor=c1",
      "/rows?q=a&limit=200&count=false&cursor=c2",
    ]);
  });

  it("keep the caller's size of pages, and read no page that is not needed", async () => {
    const { rows } = await client([page(["1", "2"], "c1")]);
    for await (const { id } of rows.list({ limit: 2, count: true })) if (id === "2") break;
    expect(urls()).to.deep.equal(["/rows?limit=2&count=true"]);
  });

  it("without pages are walked too, with no parameter that they do not take", async () => {
    const { kinds } = await client([
      { status: 200, body: [{ id: "1" }] },
      { status: 200, body: [{ id: "1" }], headers: UNTIL },
    ]);
    expect(await kinds.list().toArray()).to.deep.equal([{ id: "1" }]);
    const changes = kinds.list().changes();
    expect(await all(changes)).to.deep.equal(["+1"]);
    expect(urls()).to.deep.equal(["/kinds", "/kinds?updated_since=1970-01-01T00:00:00Z"]);
  });

  describe("followed by a copy", () => {
    it("give all rows first, and no deleted ones", async () => {
      const { rows } = await client([page(["1"], "c"), page(["2"], null, UNTIL)]);
      const changes = rows.list().changes({ deleted: "row" });
      expect(() => changes.until).to.throw("until");
      expect(await all(changes)).to.deep.equal(["+1", "+2"]);
      expect(changes.until).to.equal(UNTIL["updated-until"]);
    });

    it("then what was saved and deleted since, each to its end", async () => {
      const { rows } = await client([page(["1"], null, UNTIL), page(["2"], "d"), page(["3"], null)]);
      const since = "2026-03-01T00:00:00Z";
      expect(await all(rows.list({ sort: "name" }).changes({ since, deleted: "row" }))).to.deep.equal(["+1", "-2", "-3"]);
      expect(urls()).to.deep.equal([
        `/rows?limit=200&count=false&updated_since=${since}`,
        `/deleted?entity_type=row&since=${since}&limit=200`,
        `/deleted?entity_type=row&since=${since}&limit=200&cursor=d`,
      ]);
    });

    it("begin again once when the service cannot say what has changed", async () => {
      const { rows } = await client([tooOld, page(["1"], null, UNTIL)]);
      expect(await all(rows.list().changes({ since: "2025-01-01T00:00:00Z", deleted: "row" }))).to.deep.equal([
        "restarted",
        "+1",
      ]);
      await server.stop();
      const { rows: refused } = await client([tooOld]);
      expect(await all(refused.list().changes()).catch((error) => error.name)).to.equal("SyncTooOldError");
    });
  });

  describe("streams", () => {
    const body = (...pieces: string[]) =>
      ReadableStream.from(pieces.map((piece) => new TextEncoder().encode(piece))) as ReadableStream<Uint8Array>;
    const read = async (...pieces: string[]) => {
      const events = [];
      for await (const event of eventsOf(body(...pieces))) events.push(event);
      return events;
    };

    it("are read wherever the bytes are cut, with all ends of lines, comments and lines of data", async () => {
      expect(
        await read("event: a\r", '\ndata: {"x":\r\ndata: 1}\r\n\r\n: still here\nid: 7\ndata:tw', "o\n\ndata: cut off"),
      ).to.deep.equal([
        { event: "a", data: { x: 1 } },
        { event: "message", data: "two", id: "7" },
      ]);
      const [euro] = [new TextEncoder().encode("data: €\n\n")];
      const halves = ReadableStream.from([euro?.slice(0, 7), euro?.slice(7)]) as ReadableStream<Uint8Array>;
      for await (const { data } of eventsOf(halves)) expect(data).to.equal("€");
    });

    it("continue after the last event when the connection ends", async () => {
      const headers = { "content-type": "text/event-stream" };
      const { rows } = await client([
        { status: 200, headers, body: "retry: 1\nid: 5\ndata: 1\n\n" },
        { status: 200, headers, body: "id: 6\ndata: 2\n\n" },
      ]);
      const found: unknown[] = [];
      for await (const { data } of rows.stream()) if (found.push(data) === 2) break;
      expect(found).to.deep.equal([1, 2]);
      expect(server.received.map(({ headers: sent }) => sent["last-event-id"])).to.deep.equal([undefined, "5"]);
    });
  });
});
