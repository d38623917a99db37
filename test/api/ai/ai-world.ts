import type { ServiceSchema } from "moleculer";
import { AnthropicSimulator } from "../../simulators/ai/anthropic.ts";
import { OpenAiSimulator } from "../../simulators/ai/openai.ts";
import { startService, type Tenant, type TestService } from "../../support/service.ts";

/** The service with both simulated providers. */
export interface AiWorld {
  service: TestService;
  anthropic: AnthropicSimulator;
  openai: OpenAiSimulator;
  /** Saves settings for an organisation: by default Anthropic with a good key. */
  configure(tenant: Tenant, values?: object): Promise<void>;
  /** Tokens and requests metered this month, by feature. */
  usage(tenant: Tenant): Promise<Record<string, [tokens: number, requests: number]>>;
  /** Reservations that are left. */
  reserved(tenant: Tenant): Promise<number>;
  /** Clears the recorded requests, and returns a new organisation. */
  anew(): Promise<Tenant>;
  stop(): Promise<void>;
}

/**
 * Starts the service with both simulated providers.
 * @param extra actors in addition to the service's own
 */
export async function startAi(environment: Record<string, string> = {}, extra: readonly ServiceSchema[] = []): Promise<AiWorld> {
  const [anthropic, openai] = [new AnthropicSimulator(), new OpenAiSimulator()];
  await Promise.all([anthropic.start(), openai.start()]);
  const urls = { SERVICE_AI_ANTHROPIC_API_URL: anthropic.baseUrl, SERVICE_AI_OPENAI_API_URL: openai.baseUrl };
  const service = await startService({ ...urls, ...environment }, extra);
  return {
    service,
    anthropic,
    openai,
    async configure(tenant, values = {}) {
      const { status, text } = await tenant.owner.put("/ai/settings", {
        provider: "anthropic",
        api_key: anthropic.key,
        ...values,
      });
      if (status !== 200) throw new Error(`no settings: ${status} ${text}`);
    },
    async usage(tenant) {
      const { features } = (await tenant.owner.get("/ai/usage")).body;
      return Object.fromEntries(
        (features as { feature: string; tokens_in: number; tokens_out: number; requests: number }[]).map((one) => [
          one.feature,
          [one.tokens_in + one.tokens_out, one.requests],
        ]),
      );
    },
    async reserved({ organisation }) {
      const { rows } = await service.sql.query("select count(*)::int as n from ai_reservations where organisation_id = $1", [
        organisation.id,
      ]);
      return rows[0].n;
    },
    async anew() {
      for (const simulator of [anthropic, openai]) simulator.reset();
      return service.tenant();
    },
    async stop() {
      await service.stop();
      await Promise.all([anthropic.stop(), openai.stop()]);
    },
  };
}
