import { runtime } from "../../config/runtime.ts";
import { provider } from "../../outbound/provider/provider.ts";

/** A published version and its release page. */
export interface Release {
  version: string;
  url: string | null;
}

const VERSION = /^v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/;

const client = provider({
  kind: "updates",
  baseUrl: () => runtime().config.updateApiUrl ?? "",
  mostBytes: 1 << 20,
});

/** Whether this installation checks for releases: it needs the service's address and its own commit (platform chapter §8). */
export const asksForReleases = (): boolean => {
  const { config } = runtime();
  return config.updateApiUrl !== undefined && config.gitSha !== undefined;
};

/**
 * The newest release, from a service compatible with GitHub's REST API for a repository.
 * @throws ProviderFailure without a usable answer, Error for another status or a tag that is not a version
 */
export async function latestRelease(): Promise<Release> {
  const answer = await client.call({
    account: "instance",
    operation: "latest-release",
    path: "/releases/latest",
    headers: { accept: "application/vnd.github+json" },
  });
  if (answer.status !== 200) throw new Error(`status ${answer.status}`);
  const { tag_name: tag, html_url: page } = answer.json() as { tag_name?: unknown; html_url?: unknown };
  if (typeof tag !== "string" || !VERSION.test(tag)) throw new Error("the newest release has no version for a tag");
  const url = typeof page === "string" && /^https?:$/.test(URL.parse(page)?.protocol ?? "") ? page : null;
  return { version: tag.replace(/^v/, ""), url };
}

/** Whether one version `1.2.3` is newer than another. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [version, than].map((text) => (VERSION.exec(text) ?? []).slice(1).map(Number));
  const place = one?.findIndex((part, index) => part !== other?.[index]) ?? -1;
  return place >= 0 && (one?.[place] as number) > (other?.[place] ?? Number.POSITIVE_INFINITY);
}
