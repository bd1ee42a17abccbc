/**
 * Programs of Debian that speak S3, on the S3 API of a service.
 *
 * `HOLDFAST_TOOLS=all` (`pnpm tools`) copies 10,000 files by rclone, 2 GiB in 20,000 files by restic and 1 GiB by the others, and
 * prints how long each step took; otherwise a few files.
 */
import * as Requires from "@holdfast/testing/Requires"
import { spawn } from "node:child_process"
import { once } from "node:events"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import * as Tools from "./Tools.ts"

const { isLarge, timeout } = Tools

const mebibyte = 1024 * 1024

/** Returns the differences that `rclone check` has found, byte by byte. */
const check = async ({ run }: Tools.Tools, tree: string, remote: string): Promise<ReadonlyArray<string>> => {
  const lines = (await run("rclone", "check", "--download", "--combined", "-", tree, remote)).split("\n")
  return lines.filter((line) => line !== "" && !line.startsWith("= "))
}

Requires.requires(Tools.missing("rclone")).describe("rclone", () => {
  it(
    "sync, changes, sync again, moveto → the same bytes each time, found by check --download",
    { timeout },
    async () => {
      const tools = await Tools.start()
      const { bucket, directory, run, timed } = tools
      const [tree, remote] = [Path.join(directory, "tree"), `s3:${bucket}/tree`]
      const files = isLarge ? 10_000 : 30
      Tools.makeTree(tree, { files, bytes: files * 10_000 })
      await timed(`rclone sync, ${files} files`, () => run("rclone", "sync", "--transfers", "8", tree, remote))
      expect(await timed("rclone check --download", () => check(tools, tree, remote))).toEqual([])
      Fs.rmSync(Path.join(tree, "folder 0/0/a b.txt"))
      Fs.writeFileSync(Path.join(tree, "folder 0/0/file-9.bin"), "changed")
      Fs.writeFileSync(Path.join(tree, "new.txt"), "new")
      await timed("rclone sync of 3 changes", () => run("rclone", "sync", tree, remote))
      expect(await check(tools, tree, remote)).toEqual([])
      await run("rclone", "moveto", `${remote}/new.txt`, `s3:${bucket}/moved/to here.txt`)
      expect(await run("rclone", "cat", `s3:${bucket}/moved/to here.txt`)).toBe("new")
      expect(await check(tools, tree, remote).catch(() => "differs")).toBe("differs")
      await run("rclone", "moveto", `${remote}/folder 0`, `${remote}/folder 10`)
      expect(await run("rclone", "lsf", remote)).toContain("folder 10/")
      expect(await run("rclone", "lsf", remote)).not.toContain("folder 0/")
    }
  )

  it("bisync after changes on both sides → both have all of them", { timeout }, async () => {
    const tools = await Tools.start()
    const { bucket, directory, run, timed } = tools
    const [tree, remote] = [Path.join(directory, "tree"), `s3:${bucket}/tree`]
    const files = isLarge ? 2000 : 20
    Tools.makeTree(tree, { files, bytes: files * 10_000 })
    const bisync = (...options: ReadonlyArray<string>) =>
      run("rclone", "bisync", "--workdir", Path.join(directory, "state"), ...options, tree, remote)
    await timed(`rclone bisync --resync, ${files} files`, () => bisync("--resync"))
    expect(await check(tools, tree, remote)).toEqual([])
    Fs.writeFileSync(Path.join(tree, "local.txt"), "local")
    Fs.rmSync(Path.join(tree, "folder 0/0/a b.txt"))
    Fs.writeFileSync(Path.join(directory, "other.txt"), "remote")
    await run("rclone", "copyto", Path.join(directory, "other.txt"), `${remote}/folder 0/remote.txt`)
    await run("rclone", "deletefile", `${remote}/folder 0/0/file-7.bin`)
    await timed("rclone bisync", () => bisync())
    expect(await check(tools, tree, remote)).toEqual([])
    const found = Fs.readdirSync(tree, { recursive: true }).map(String)
    expect(found).toEqual(expect.arrayContaining(["local.txt", "folder 0/remote.txt"]))
    expect(found).not.toContain("folder 0/0/a b.txt")
    expect(found).not.toContain("folder 0/0/file-7.bin")
  })
})

Requires.requires(Tools.missing("restic")).describe("restic", () => {
  it("two backups, forget and prune, restore → the same bytes, check --read-data clean", { timeout }, async () => {
    const { directory, run, timed } = await Tools.start()
    const tree = Path.join(directory, "tree")
    const [files, bytes] = isLarge ? [20_000, 2048 * mebibyte] : [60, 4 * mebibyte]
    Tools.makeTree(tree, { files, bytes })
    await run("restic", "init")
    await timed(`restic backup, ${files} files, ${bytes / mebibyte} MiB`, () => run("restic", "backup", tree))
    Fs.rmSync(Path.join(tree, "folder 0/0"), { recursive: true })
    Fs.writeFileSync(Path.join(tree, "new.txt"), "new")
    await timed("restic backup of a few changes", () => run("restic", "backup", tree))
    await timed("restic forget --prune", () =>
      run("restic", "forget", "--keep-last", "1", "--prune", "--max-unused", "0")
    )
    expect(await timed("restic check --read-data", () => run("restic", "check", "--read-data"))).toContain(
      "no errors were found"
    )
    const target = Path.join(directory, "restored")
    await timed("restic restore", () => run("restic", "restore", "latest", "--target", target))
    expect(await run("diff", "-r", tree, Path.join(target, tree))).toBe("")
  })
})

const [mebibytes, part] = isLarge ? ([1024, "16"] as const) : ([17, "5"] as const)

Requires.requires(Tools.missing("s3cmd")).describe("s3cmd", () => {
  it("multipart upload, list, download, removal → the same bytes, nothing left", { timeout }, async () => {
    const { bucket, credentials, directory, host, run, timed } = await Tools.start()
    const settings = [
      `access_key = ${credentials.accessKeyId}`,
      `secret_key = ${credentials.secretAccessKey}`,
      `host_base = ${host}`,
      `host_bucket = ${host}`,
      "use_https = False"
    ]
    Fs.writeFileSync(Path.join(directory, ".s3cfg"), ["[default]", ...settings].join("\n"))
    const file = Path.join(directory, "video.bin")
    await Tools.makeFile(file, mebibytes)
    const object = `s3://${bucket}/a b/video.bin`
    await timed(`s3cmd put, ${mebibytes} MiB`, () =>
      run("s3cmd", "put", `--multipart-chunk-size-mb=${part}`, file, object)
    )
    expect(await run("s3cmd", "ls", `s3://${bucket}/a b/`)).toContain(object)
    await timed("s3cmd get", () => run("s3cmd", "get", object, `${file}.copy`))
    await run("cmp", file, `${file}.copy`)
    await run("s3cmd", "del", object)
    expect(await run("s3cmd", "ls", "--recursive", `s3://${bucket}`)).toBe("")
    // s3cmd takes InvalidArgument for a sign that a service lacks signatures of version 4, and tries version 2.
    await expect(run("s3cmd", "put", "--quiet", file, `s3://${bucket}/a//b`)).rejects.toThrow(
      "must not have empty segments"
    )
  })
})

Requires.requires(Tools.missing("aws")).describe("aws-cli", () => {
  it("multipart upload, sync, download, move → the same bytes", { timeout }, async () => {
    const { bucket, directory, host, run, timed } = await Tools.start()
    const aws = (...args: ReadonlyArray<string>) => run("aws", "--endpoint-url", `http://${host}`, "s3", ...args)
    const file = Path.join(directory, "tree/video.bin")
    Fs.mkdirSync(Path.dirname(file))
    await Tools.makeFile(file, mebibytes)
    Fs.writeFileSync(Path.join(directory, "tree/ü+.txt"), "Hello")
    await timed(`aws s3 sync, a file of ${mebibytes} MiB`, () =>
      aws("sync", "--only-show-errors", Path.join(directory, "tree"), `s3://${bucket}/tree`)
    )
    await aws("mv", "--only-show-errors", `s3://${bucket}/tree/video.bin`, `s3://${bucket}/tree/moved.bin`)
    await timed("aws s3 sync back", () =>
      aws("sync", "--only-show-errors", `s3://${bucket}/tree`, Path.join(directory, "back"))
    )
    await run("cmp", file, Path.join(directory, "back/moved.bin"))
    expect(Fs.readdirSync(Path.join(directory, "back")).toSorted()).toEqual(["moved.bin", "ü+.txt"])
  })
})

/** Makes a Git repository with two commits. Returns its directory. */
const makeRepository = async ({ directory, run }: Tools.Tools): Promise<string> => {
  const source = Path.join(directory, "source")
  const git = (...args: ReadonlyArray<string>) =>
    run("git", "-C", source, "-c", "user.name=a", "-c", "user.email=a@example.com", ...args)
  await run("git", "init", "--quiet", "--template=", source)
  Tools.makeTree(source, { files: 6, bytes: 60_000 })
  for (const message of ["first", "second"]) {
    Fs.writeFileSync(Path.join(source, "message.txt"), message)
    await git("add", ".")
    await git("commit", "--quiet", "--message", message)
  }
  return source
}

Requires.requires(Tools.missingMounts()).describe("s3fs", () => {
  it("git clone into a mounted bucket → the repository is whole, also after another mount", { timeout }, async () => {
    const tools = await Tools.start()
    const { bucket, credentials, directory, host, run, timed } = tools
    const [point, password] = [Path.join(directory, "mount"), Path.join(directory, "password")]
    Fs.mkdirSync(point)
    Fs.writeFileSync(password, `${credentials.accessKeyId}:${credentials.secretAccessKey}`, { mode: 0o600 })
    const options = `url=http://${host},use_path_request_style,passwd_file=${password}`
    const mount = async () => {
      const child = spawn("s3fs", [bucket, point, "-f", "-o", options], { stdio: "ignore" })
      const ended = once(child, "exit")
      const unmount = async () => {
        if (child.exitCode !== null || child.signalCode !== null) return
        await run("fusermount", "-u", point)
        await ended
      }
      onTestFinished(async () => {
        await unmount().catch(() => child.kill("SIGKILL"))
      })
      const isMounted = () => Fs.readFileSync("/proc/mounts", "utf8").includes(` ${point} fuse.s3fs `)
      await vi.waitFor(() => expect(isMounted()).toBe(true), { timeout: 20_000 })
      return unmount
    }
    const source = await makeRepository(tools)
    const target = Path.join(point, "clone")
    const unmount = await mount()
    await timed("git clone into s3fs", () =>
      run("git", "clone", "--quiet", "--template=", "--no-local", source, target)
    )
    await unmount()
    await mount()
    expect(await run("git", "-C", target, "fsck", "--full")).toBe("")
    expect(await run("git", "-C", target, "status", "--porcelain")).toBe("")
    expect(await run("diff", "-r", "--exclude=.git", source, target)).toBe("")
  })
})
