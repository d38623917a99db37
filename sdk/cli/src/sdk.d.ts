// What the program uses of the client; its package is made from the document and is not here while this is compiled.
declare module "@kantoor/sdk" {
  export class Kantoor {
    constructor(options: { baseUrl: string; apiKey?: string; accessToken?: () => Promise<string>; longestWait?: number });
  }
}
