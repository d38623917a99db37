import type { Context, Middleware, ServiceBroker } from "moleculer";
import { counted, countRemote, type Tally } from "../../core/request/statement-count.ts";

/** The count of an actor's node travels in the metadata of its answer. */
type Called = Context<unknown, { statements?: number }>;
type Handler = (ctx: Called) => Promise<unknown>;

/**
 * The broker middleware that adds the statements of actions on other nodes to the count of the request (core/request/statement-count.ts).
 * Only nodes with `SERVICE_COUNT_STATEMENTS` have it.
 */
export function statementCountMiddleware(): Middleware {
  let broker: ServiceBroker | undefined;
  return {
    name: "StatementCount",
    created(made) {
      broker = made;
    },
    localAction(next) {
      const handler = next as unknown as Handler;
      const counting: Handler = async (ctx) => {
        if (ctx.nodeID === broker?.nodeID) return handler(ctx);
        const tally: Tally = { statements: 0 };
        try {
          return await counted(tally, () => handler(ctx));
        } finally {
          ctx.meta.statements = tally.statements;
        }
      };
      return counting as never;
    },
    remoteAction(next) {
      const handler = next as unknown as Handler;
      const counting: Handler = async (ctx) => {
        try {
          return await handler(ctx);
        } finally {
          countRemote(ctx.meta.statements ?? 0);
          delete ctx.meta.statements;
        }
      };
      return counting as never;
    },
  };
}
