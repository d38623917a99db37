import { expect } from "chai";
import { Collector } from "../../simulators/otlp.ts";
import { until } from "../../support/jobs.ts";
import { MailWorld, resetMail } from "../../support/mail/mail-world.ts";
import { above, newParent, withVariables } from "./traced.ts";

describe("a mail of a node with traces", () => {
  const collector = new Collector();
  const world = new MailWorld();
  let restore: () => void;
  before(async () => {
    await collector.start();
    restore = withVariables({ OTEL_BSP_SCHEDULE_DELAY: "50" });
    await world.start({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin });
    await world.renew();
  });
  after(async () => {
    await world.stop();
    restore();
    await collector.stop();
  });

  it("is in the trace of the request that promised it, whichever job sends it", async () => {
    const callers = [newParent(), newParent(), newParent()];
    await Promise.all(
      callers.map(({ traceparent }, index) =>
        world.tenant.owner.post(
          "/proof/mails",
          { mails: [resetMail(`zwaluw${index}@noord.test`)] },
          { headers: { traceparent } },
        ),
      ),
    );
    const sent = (traceId: string) => collector.trace(traceId).filter(({ name }) => name === "send mail");
    await until(async () => callers.every(({ traceId }) => sent(traceId).length > 0));
    // A job ends after the mails that it sends.
    await until(async () => collector.spans.some(({ name }) => name === "process mail.send-due"));
    for (const { traceId, spanId } of callers) {
      const [span, ...more] = sent(traceId);
      expect(more).to.deep.equal([]);
      expect(span?.kind).to.equal("client");
      expect(span?.attributes).to.deep.equal({
        "kantoor.mail.kind": "reset",
        "kantoor.mail.provider": "smtp",
        "kantoor.organisation.id": world.tenant.organisation.id,
      });
      const spans = collector.trace(traceId);
      await until(async () => above(collector.trace(traceId), span as NonNullable<typeof span>).at(-1) === spanId);
      expect(spans.every(({ hasFailed }) => !hasFailed)).to.equal(true);
    }
    expect(collector.complaints).to.deep.equal([]);
    for (const hidden of ["zwaluw", "noord.test", "reset-password?token"]) expect(collector.bytes).to.not.include(hidden);
  });
});
