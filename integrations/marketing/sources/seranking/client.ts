import { createHash } from "node:crypto";
import { runtime } from "../../../../core/config/runtime.ts";
import { unsealed } from "../../../../core/database/sealed.ts";
import { ProviderFailure, provider } from "../../../../core/outbound/provider/provider.ts";
import { request } from "../../../../core/request/context.ts";
import { marketingSettings } from "../../../../mixins/google-ads/developer-token.ts";
import { MarketingSettings } from "../../../../mixins/google-ads/models.ts";
import { WrongShape } from "../answer-shapes.ts";
import { type SourceAccess, SourceFailure } from "../source.ts";

const client = provider({
  kind: "seranking",
  baseUrl: () => runtime().config.serankingApiUrl,
  connectTimeout: 10_000,
  readTimeout: 30_000,
  // Waiting calls occupy a slot, so the limit per second is the effective one.
  concurrency: 64,
  share: 32,
  perSecond: 5,
  // A month of positions of several thousand keywords.
  mostBytes: 32 << 20,
  // SE Ranking's 429 has no retry time (marketing-ads §2.9).
  limitedWaits: [1000, 2000],
});

/** Calls SE Ranking with the organisation's key. */
export interface SerankingClient {
  /** Returns the answer to one request, parsed by `read`. @param path below the API's address @throws SourceFailure */
  ask<T>(path: string, query: Record<string, string | number>, read: (answer: unknown) => T): Promise<T>;
}

/** Maps a status to a failure; a rejected key has its own failure key. */
const failed = (status: number | null, cause?: unknown): SourceFailure =>
  new SourceFailure(status === 401 || status === 403 ? "marketing.seranking_key_rejected" : "marketing.accounts_error", {
    cause,
  });

/** @throws SourceFailure `marketing.seranking_not_configured` unless there is a key that can be decrypted */
export async function serankingClient({ transactions, signal }: SourceAccess): Promise<SerankingClient> {
  const { organisation, key } = await transactions.read(async () => {
    const settings = await marketingSettings();
    const key = settings ? unsealed(MarketingSettings, settings, "seranking_api_key") : null;
    return { organisation: request().organisation.id, key };
  });
  if (key === null) throw new SourceFailure("marketing.seranking_not_configured");
  // Organisations with the same key share its rate limit.
  const countedBy = createHash("sha256").update(`seranking ${key}`).digest("hex").slice(0, 32);
  return {
    async ask(path, query, read) {
      const asked = Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)]));
      try {
        const answer = await client.call({
          // Each project has its own circuit: one that is slow does not stop the others.
          account: "site_id" in query ? `${organisation} ${query["site_id"]}` : organisation,
          countedBy,
          operation: path.slice(1).replaceAll("/", "."),
          path,
          query: asked,
          headers: { authorization: `Token ${key}` },
          secrets: [key],
          ...(signal && { signal }),
        });
        if (answer.status !== 200) throw failed(answer.status);
        return read(answer.json());
      } catch (error) {
        if (error instanceof ProviderFailure) throw failed(error.status, error);
        if (error instanceof WrongShape) throw failed(null, error);
        throw error;
      }
    },
  };
}
