import { NoData, StreamError } from "../../../core/declare/event-stream.ts";
import { type Static, Type } from "../../../core/schema/schema.ts";

const text = Type.Object({ text: Type.String({ description: "The next piece of the text" }) });
/** A record that an answer is based on. */
const Source = Type.Object({
  type: Type.String({ description: "Kind of the record, such as `company`" }),
  id: Type.String({ description: "The record" }),
  label: Type.String({ description: "Its name" }),
});
export type Source = Static<typeof Source>;

const sources = Type.Object({
  sources: Type.Array(Source, { description: "Records that the text was made from" }),
});

/** Events of a text without sources. */
export const TextEvents = { text, done: NoData, error: StreamError };
/** Events of a text based on records. */
export const SourcedEvents = { text, sources, done: NoData, error: StreamError };
/** Events of a conversation with tools. */
export const AssistantEvents = {
  text,
  tool: Type.Object({ name: Type.String({ description: "The tool that the model uses now" }) }),
  sources,
  done: NoData,
  error: StreamError,
};
