import { anthropic } from "./anthropic.ts";
import { openai } from "./openai.ts";
import type { AiAccess, ChatProvider } from "./provider.ts";

/** The provider of an account. */
export const chatProvider = (access: AiAccess): ChatProvider =>
  access.provider === "anthropic" ? anthropic(access) : openai(access);
