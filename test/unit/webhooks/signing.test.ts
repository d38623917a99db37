import { expect } from "chai";
import { Webhook } from "standardwebhooks";
import { newSecret, signedHeaders } from "../../../services/webhooks/deliveries/signing.ts";

describe("the signature of a webhook", () => {
  const body = '{"type":"company.created","name":"Één bedrijf"}';

  it("is the published one for the known example of the official libraries", () => {
    const secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const headers = signedHeaders("msg_p5jXN8AQM9LWM0D4loKWxJek", new Date(1_614_265_330_000), '{"test": 2432232314}', [secret]);
    expect(headers).to.deep.equal({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    });
  });

  it("is verified by it with every secret that signed, and with no other", () => {
    const [current, previous, other] = [newSecret(), newSecret(), newSecret()];
    const headers = signedHeaders("one_two", new Date(), body, [current, previous]);
    expect(headers["webhook-signature"]?.split(" ")).to.have.length(2);
    for (const secret of [current, previous]) expect(new Webhook(secret).verify(body, headers)).to.deep.equal(JSON.parse(body));
    expect(() => new Webhook(other).verify(body, headers)).to.throw("No matching signature");
    expect(() => new Webhook(current).verify(`${body} `, headers)).to.throw("No matching signature");
    expect(() => new Webhook(current).verify(body, { ...headers, "webhook-id": "another" })).to.throw("No matching signature");
  });

  it("has a secret of 256 bits that is never the same", () => {
    const secrets = Array.from({ length: 20 }, newSecret);
    expect(new Set(secrets).size).to.equal(20);
    for (const secret of secrets) {
      expect(secret).to.match(/^whsec_[A-Za-z0-9+/]+=*$/);
      expect(Buffer.from(secret.slice("whsec_".length), "base64")).to.have.length(32);
    }
  });
});
