/**
 * A certificate for this machine, made for one test: what speaks TLS to 127.0.0.1 shows it, and who is to trust it
 * starts with NODE_EXTRA_CA_CERTS.
 */
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { command } from "../Requires.ts"

export interface Certificate {
  /** The file that a client trusts. */
  readonly file: string
  /** PEM. */
  readonly cert: Buffer
  /** PEM. */
  readonly key: Buffer
}

/** What is missing to make one: undefined when nothing is. */
export const missing: string | undefined = command("openssl", "version")

/** A fresh one; its file is removed with the scope. */
export const make: Effect.Effect<Certificate, never, Scope.Scope> = Effect.map(
  Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "holdfast-tls-"))),
    (directory) => Effect.sync(() => rmSync(directory, { recursive: true, force: true }))
  ),
  (directory) => {
    const [file, keyFile] = [join(directory, "cert.pem"), join(directory, "key.pem")]
    const subject = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    const made = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-keyout", keyFile, "-out", file]
    execFileSync("openssl", [...made, ...subject], { stdio: "ignore" })
    return { file, cert: readFileSync(file), key: readFileSync(keyFile) }
  }
)
