import { inSpan } from "../../tracing/tracing.ts";
import type { ProviderAnswer, ProviderCall } from "./provider-call.ts";
import { ProviderFailure } from "./provider-failure.ts";

interface SpannedCall extends Pick<ProviderCall, "operation" | "method"> {
  provider: string;
  /** The address of the provider's API; the span has its host alone. */
  url: string;
  /** 1 for the first attempt. */
  number: number;
}

/** Makes one attempt of a provider call in a span, which has neither path nor query, header or body. */
export function inCallSpan(
  { provider, operation, method = "GET", url, number }: SpannedCall,
  attempt: () => Promise<ProviderAnswer>,
): Promise<ProviderAnswer> {
  const attributes = {
    "http.request.method": method,
    "server.address": URL.canParse(url) ? new URL(url).hostname : undefined,
    "http.request.resend_count": number > 1 ? number - 1 : undefined,
    "kantoor.provider": provider,
    "kantoor.provider.operation": operation,
  };
  return inSpan({ name: `${provider} ${operation}`, kind: "client", attributes }, async (span) => {
    try {
      const answer = await attempt();
      span.note({ "http.response.status_code": answer.status });
      return answer;
    } catch (error) {
      if (error instanceof ProviderFailure) {
        span.note({ "http.response.status_code": error.status ?? undefined });
        span.fail(error.kind);
      }
      throw error;
    }
  });
}
