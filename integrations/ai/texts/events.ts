import { Type } from "../../../core/declare/schema.ts";
import { NoData, StreamError } from "../../../core/http/event-stream.ts";

/** A record an answer was made from. */
export interface Source {
  type: string;
  id: string;
  label: string;
}

const text = Type.Object({ text: Type.String() });
const sources = Type.Object({
  sources: Type.Array(Type.Object({ type: Type.String(), id: Type.String(), label: Type.String() })),
});

/** Events of a text without sources. */
export const TextEvents = { text, done: NoData, error: StreamError };
/** Events of a text that is made from records. */
export const SourcedEvents = { text, sources, done: NoData, error: StreamError };
/** Events of a conversation that reads on its way. */
export const AssistantEvents = { text, tool: Type.Object({ name: Type.String() }), sources, done: NoData, error: StreamError };
