import { Misunderstood, type Received, type Reply, Simulator } from "./simulator.ts";

const PATH = "/repos/kantoor/kantoor/releases/latest";

/** GitHub's `releases/latest` of one repository: public, JSON by media type, 404 without a release. */
export class ReleasesSimulator extends Simulator {
  /** The newest release; its fields can be anything. */
  release: { tag_name?: unknown; html_url?: unknown } | null = null;

  /** Value of `SERVICE_UPDATE_API_URL`. */
  get baseUrl(): string {
    return `${this.origin}/repos/kantoor/kantoor`;
  }

  override reset(): void {
    super.reset();
    this.release = null;
  }

  protected answer({ method, path, query, headers, body }: Received): Reply {
    if (method !== "GET" || path !== PATH) throw new Misunderstood("no such operation");
    if (body !== "" || [...query].length > 0) throw new Misunderstood("the question has neither body nor query");
    if (headers["accept"] !== "application/vnd.github+json") throw new Misunderstood(`accept is '${headers["accept"]}'`);
    if (!headers["user-agent"]) throw new Misunderstood("requests without User-Agent are refused");
    const secret = ["authorization", "cookie", "x-api-key"].find((name) => headers[name] !== undefined);
    if (secret) throw new Misunderstood(`'${secret}' has no business here: the question is public`);
    if (!this.release) return { status: 404, body: { message: "Not Found", status: "404" } };
    return { status: 200, body: { id: 1, draft: false, prerelease: false, ...this.release } };
  }
}
