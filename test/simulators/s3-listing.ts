import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

const MOST_KEYS = 1000;

/**
 * Lists a bucket like S3 (ListObjectsV2), a thousand keys per page; only tokens of an earlier page are accepted. s3rver cannot do this: its
 * tokens need a cipher that OpenSSL has removed.
 */
export class S3Listing extends Simulator {
  readonly keys: string[];
  readonly #tokens = new Map<string, number>();

  constructor(keys: readonly string[]) {
    super();
    this.keys = keys.toSorted();
  }

  protected override answer({ method, path, query, headers }: Received): Reply {
    if (method !== "GET" || path !== "/files/" || query.get("list-type") !== "2")
      throw new Misunderstood(`${method} ${path}?${query}`);
    if (!/^AWS4-HMAC-SHA256 Credential=/.test(headers.authorization ?? "")) throw new Misunderstood("unsigned");
    const prefix = query.get("prefix") ?? "";
    const token = query.get("continuation-token");
    const first = token === null ? 0 : this.#tokens.get(token);
    if (first === undefined) throw new Misunderstood(`no such token '${token}'`);
    const found = this.keys.filter((key) => key.startsWith(prefix));
    const page = found.slice(first, first + MOST_KEYS);
    const isTruncated = first + page.length < found.length;
    const next = `1/${Buffer.from(`${first + page.length}`).toString("base64")}+/==`;
    if (isTruncated) this.#tokens.set(next, first + page.length);
    const contents = page.map(
      (key) => `<Contents><Key>${key}</Key><LastModified>2026-03-02T09:30:00.000Z</LastModified></Contents>`,
    );
    const body = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>files</Name><IsTruncated>${isTruncated}</IsTruncated>${isTruncated ? `<NextContinuationToken>${next}</NextContinuationToken>` : ""}${contents.join("")}</ListBucketResult>`;
    return { status: 200, headers: { "Content-Type": "application/xml" }, body };
  }
}
