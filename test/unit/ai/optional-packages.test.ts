import { expect } from "chai";
import { loaded } from "../../../integrations/ai/providers/outside.ts";
import { AiFailure } from "../../../integrations/ai/providers/provider.ts";

describe("the clients of AI providers", () => {
  /** A package that is not installed. */
  const MISSING = "a-client-that-is-not-installed";

  it("name the package that an installation leaves out, and no place of this machine", async () => {
    const error = await loaded("openai", () => import(MISSING)).catch((reason: unknown) => reason);
    expect(error).to.be.instanceOf(AiFailure);
    expect((error as Error).message).to.equal(
      "the package openai is not installed here; npm ci without --omit=optional installs it",
    );
  });

  it("pass every other failure of loading on", async () => {
    const failure = new Error("out of memory");
    expect(await loaded("openai", () => Promise.reject(failure)).catch((reason: unknown) => reason)).to.equal(failure);
    expect(await loaded("openai", async () => 1)).to.equal(1);
  });
});
