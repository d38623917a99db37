import type { SpanStart } from "../tracing/tracing.ts";
import type { Definition } from "./definition.ts";
import type { Run } from "./jobs.ts";
import type { QueuedData } from "./store.ts";

/** The span of an attempt of a job. It continues the trace of the request that scheduled the job; a job of the clock begins one. */
export const spanOfJob = ({ name, event }: Definition, { id, attempt }: Run, data: QueuedData | null): SpanStart => ({
  name: `process ${name}`,
  kind: "consumer",
  isEntry: true,
  parent: data?.trace,
  attributes: {
    "messaging.system": "kantoor",
    "messaging.operation.type": "process",
    "messaging.destination.name": name,
    "messaging.message.id": id,
    "kantoor.event": event ?? undefined,
    "kantoor.job.attempt": attempt,
    "kantoor.organisation.id": data?.organisation,
  },
});
