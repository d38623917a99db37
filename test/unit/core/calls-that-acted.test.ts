import { expect } from "chai";
import type { Meta, Organisation } from "../../../core/declare/principal.ts";
import { runRequest } from "../../../core/request/context.ts";
import { systemRequest } from "../../../core/request/system.ts";
import { callsOf } from "../../../mixins/calls.ts";

describe("a call of another action", () => {
  const metaOfCall = async (begun: boolean): Promise<Meta> => {
    let sent: object | undefined;
    const call = callsOf(
      () => undefined,
      async (_name, _params, options) => {
        sent = options?.meta;
      },
    );
    const request = systemRequest("caller", { id: "1" } as Organisation, "read");
    request.outside.begun = begun;
    await runRequest(request, () => call("other", {}, { meta: { requestId: "r1" } }));
    return sent as Meta;
  };

  it("reports that its request has acted, so that the called action no longer checks the principal", async () => {
    expect(await metaOfCall(true)).to.deep.equal({ requestId: "r1", hasActed: true });
  });

  it("passes its meta on unchanged before that", async () => {
    expect(await metaOfCall(false)).to.deep.equal({ requestId: "r1" });
  });
});
