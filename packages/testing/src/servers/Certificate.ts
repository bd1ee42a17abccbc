/**
 * A TLS certificate for 127.0.0.1, made for one test. A process trusts it when it starts with its file in
 * NODE_EXTRA_CA_CERTS.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../Requires.ts"

export interface Certificate {
  /** Path of the certificate's file, for clients. */
  readonly file: string
  /** PEM. */
  readonly cert: Buffer
  /** PEM. */
  readonly key: Buffer
}

/** The reason why this machine cannot make a certificate; undefined when it can. */
export const missing: string | undefined = command("openssl", "version")

/** Makes a certificate. Its file is removed with the scope. */
export const make: Effect.Effect<Certificate, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-tls-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  ),
  (directory) => {
    const [file, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")]
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    const request = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", keyFile, "-out", file]
    execFileSync("openssl", [...request, ...subject], { stdio: "ignore" })
    return { file, cert: readFileSync(file), key: readFileSync(keyFile) }
  }
)
