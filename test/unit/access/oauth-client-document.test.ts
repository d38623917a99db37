import { expect } from "chai";
import { isDocumentAddress, lifeOf, readDocument } from "../../../services/access/oauth/client-document.ts";

const address = "https://app.example.com/client.json";
const document = { client_id: address, client_name: "An app", redirect_uris: ["https://app.example.com/cb"] };

describe("the address of a client's metadata document (access §8.2)", () => {
  for (const clientId of [address, "https://app.example.com:8443/a/b?v=1", "https://93.184.216.34/c"])
    it(`may be ${clientId}`, () => {
      expect(isDocumentAddress(clientId)).to.equal(true);
    });
  const others = [
    "http://app.example.com/client.json",
    "https://app.example.com",
    "https://app.example.com/",
    "https://app.example.com/client.json#x",
    "https://app.example.com/client.json#",
    "https://user@app.example.com/client.json",
    "https://user:secret@app.example.com/client.json",
    "https://app.example.com/a/../client.json",
    "https://app.example.com/./client.json",
    "https://APP.example.com/client.json",
    "https://app.example.com:443/client.json",
    "https://app.example.com\\client.json",
    "https:app.example.com/client.json",
    " https://app.example.com/client.json",
    `https://app.example.com/${"x".repeat(1001)}`,
    "0123456789abcdef",
    "",
  ];
  for (const clientId of others)
    it(`may not be '${clientId.slice(0, 60)}'`, () => {
      expect(isDocumentAddress(clientId)).to.equal(false);
    });
});

describe("a client's metadata document (access §8.2)", () => {
  it("says who the client is", () => {
    expect(
      readDocument(address, { ...document, client_uri: "https://app.example.com", token_endpoint_auth_method: "none" }),
    ).to.deep.equal({
      name: "An app",
      uri: "https://app.example.com",
      redirectUris: ["https://app.example.com/cb"],
    });
  });
  it("goes by its host where it has no name", () => {
    for (const client_name of [undefined, null, " "])
      expect(readDocument(address, { ...document, client_name })?.name).to.equal("app.example.com");
    expect(readDocument(address, { ...document, client_uri: " " })?.uri).to.equal(null);
  });

  const refused: [why: string, body: unknown][] = [
    ["is no object", "text"],
    ["is null", null],
    ["is a list", [document]],
    ["names another client", { ...document, client_id: `${address}?x` }],
    ["names no client", { ...document, client_id: undefined }],
    ["carries a secret", { ...document, client_secret: "s" }],
    ["carries the end of a secret", { ...document, client_secret_expires_at: 0 }],
    ["asks for a secret", { ...document, token_endpoint_auth_method: "client_secret_post" }],
    ["asks for a secret by header", { ...document, token_endpoint_auth_method: "client_secret_basic" }],
    ["proves itself by a key", { ...document, token_endpoint_auth_method: "private_key_jwt" }],
    ["has no redirect URI", { ...document, redirect_uris: [] }],
    ["has no list of redirect URIs", { ...document, redirect_uris: "https://app.example.com/cb" }],
    ["has too many redirect URIs", { ...document, redirect_uris: Array(101).fill("https://app.example.com/cb") }],
    ["has a redirect URI that runs script", { ...document, redirect_uris: ["https://app.example.com/cb", "javascript:x"] }],
    ["has a redirect URI that is a number", { ...document, redirect_uris: [1] }],
    ["has a name of several lines", { ...document, client_name: "An app\nby Kantoor" }],
    ["has a name that is too long", { ...document, client_name: "x".repeat(201) }],
    ["has a name that is a number", { ...document, client_name: 1 }],
    ["has an address that runs script", { ...document, client_uri: "java\tscript:alert(1)" }],
    ["has an address that is too long", { ...document, client_uri: `https://${"x".repeat(1020)}` }],
  ];
  for (const [why, body] of refused)
    it(`is of no use when it ${why}`, () => {
      expect(readDocument(address, body)).to.equal(null);
    });

  const lives: [header: string, seconds: number][] = [
    ["", 3_600],
    ["max-age=60", 60],
    ["public, max-age=600", 600],
    ["max-age=9999999", 86_400],
    ["no-store", 0],
    ["no-cache, max-age=600", 0],
    ["max-age=0", 0],
  ];
  for (const [header, seconds] of lives)
    it(`counts for ${seconds} seconds after '${header}'`, () => {
      expect(lifeOf(header)).to.equal(seconds * 1000);
    });
});
