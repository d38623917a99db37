import { expect } from "chai";
import { Browser } from "../../simulators/push-service.ts";

describe("the browser of the simulated push service", () => {
  // RFC 8291, section 5 and appendix A.
  const browser = new Browser("https://push.example.net/push/JzLQ3raZJfFBR0aqvOMsLrt54w4rJUsV", {
    privateKey: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
  });
  const message = Buffer.from(
    "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
    "base64url",
  );

  it("opens the message of the standard", () => {
    expect(browser.subscription.p256dh).to.equal(
      "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    );
    expect(browser.open(message)).to.equal("When I grow up, I want to be a watermelon");
  });

  it("opens nothing that was changed on its way, nor messages for another", () => {
    const changed = Buffer.from(message);
    changed.writeUInt8(changed.readUInt8(100) ^ 1, 100);
    expect(() => browser.open(changed)).to.throw();
    expect(() => new Browser(browser.endpoint).open(message)).to.throw();
  });
});
