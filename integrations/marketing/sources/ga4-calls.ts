import type { SourceCalls } from "./source.ts";

export const calls = {} as SourceCalls;
