import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, statfs, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { checkDiskTrend } from '../../../../src/modules/operations/cli/checks.ts'
import { dayMs, hourMs } from '../../../../src/core/domain/days/time-units.ts'
import { keepSample, readDiskTrend, trendOf, type DiskSample } from '../../../../src/core/server/disk-samples.ts'

const begin = Date.parse('2026-03-01T00:00:00Z')

const at = (day: number, freeBytes: number, totalBytes = 1_000): DiskSample => ({
  atMs: begin + day * dayMs,
  freeBytes,
  totalBytes,
})

async function inDirectory(work: (directory: string) => Promise<void>): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'tillgate-disk-'))
  try {
    await work(directory)
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

describe('the disk trend', () => {
  test('is the free space lost per day, down to the reserve, rounded down', () => {
    // 20 are lost per day; 700 minus a reserve of 45 are 655, which is 32 days and a part of a day.
    const samples = [0, 1, 2, 3, 4].map((day) => at(day, 800 - 20 * day))
    const since = '2026-03-01T00:00:00.000Z'
    assert.deepEqual(trendOf(samples, at(5, 700), 45), { since, bytesPerDay: 20, daysLeft: 32 })
    assert.equal(trendOf(samples, at(5, 700), 5_000)?.daysLeft, 0)
  })

  test('is unknown before three days of samples, and ignores another disk and future times', () => {
    assert.equal(trendOf([], at(0, 700), 0), null)
    assert.equal(trendOf([at(0, 800), at(1, 780), at(2, 760)], at(2.9, 742), 0), null)
    assert.equal(trendOf([at(0, 800), at(1, 780), at(2, 760)], at(3, 740), 0)?.bytesPerDay, 20)
    assert.equal(trendOf([at(0, 800, 500), at(1, 780, 500), at(2, 760, 500)], at(4, 740), 0), null)
    assert.equal(trendOf([at(30, 800), at(31, 780)], at(4, 740), 0), null)
  })

  test('has no days left if the free space does not shrink', () => {
    assert.deepEqual(
      [trendOf([at(0, 700), at(2, 700)], at(4, 700), 0), trendOf([at(0, 700), at(2, 710)], at(4, 720), 0)].map(
        (trend) => [trend?.bytesPerDay, trend?.daysLeft],
      ),
      [
        [0, null],
        [-5, null],
      ],
    )
  })

  test('is hardly affected by a temporary file, or by changes within a day', () => {
    // 10 are lost per day; each evening 30 more are in use; on the sixth day there was a copy of 500.
    const samples = Array.from({ length: 40 }, (_, n) => {
      const day = n / 4
      return at(day, 900 - 10 * day - (n % 4 === 3 ? 30 : 0) - (n === 24 ? 500 : 0))
    })
    const { bytesPerDay = 0 } = trendOf(samples, at(10, 800), 0) ?? {}
    assert.ok(bytesPerDay >= 9 && bytesPerDay <= 11, `${bytesPerDay} a day`)
  })

  test('is stored in a file next to the database: a sample every six hours, at most two weeks', () =>
    inDirectory(async (directory) => {
      const start = Date.parse('2026-01-01T00:00:00Z')
      const times = Array.from({ length: 30 * 24 }, (_, hour) => new Date(start + hour * hourMs))
      for (const now of times.slice(0, 60)) await keepSample(directory, now)
      const path = join(directory, 'postgres.disk')
      const kept = (await readFile(path, 'utf8')).trim().split('\n')
      // The samples of hours 0, 6, …, 54.
      assert.equal(kept.length, 10)
      const { blocks, bsize } = await statfs(directory)
      const line = (hour: number) =>
        `${new Date(start + hour * hourMs).toISOString()} ${10 ** 9 - 1_000 * hour} ${blocks * bsize}\n`
      await writeFile(path, `${Array.from({ length: 700 }, (_, hour) => line(hour)).join('')}no sample\n`)
      await keepSample(directory, times[710] as Date)
      const lines = (await readFile(path, 'utf8')).trim().split('\n')
      assert.equal(lines.length, 57)
      assert.equal(lines[0]?.split(' ')[0], times[644]?.toISOString())
    }))

  test('causes a warning if the disk is full within two weeks, and is reported as unknown before', () =>
    inDirectory(async (directory) => {
      const now = new Date()
      const { status, detail } = await checkDiskTrend(directory, 0, now)
      assert.deepEqual([status, detail], ['ok', 'no trend yet: serve must run for three days first'])
      const { bavail, blocks, bsize } = await statfs(directory)
      const free = bavail * bsize
      // An eighth of the current free space was used each day.
      const samples = [4, 3, 2, 1].map(
        (day) =>
          `${new Date(now.getTime() - day * dayMs).toISOString()} ${Math.round(free * (1 + day / 8))} ${blocks * bsize}`,
      )
      await writeFile(join(directory, 'postgres.disk'), `${samples.join('\n')}\n`)
      const near = await checkDiskTrend(directory, 0, now)
      assert.equal(near.status, 'warn')
      // Other writers on this disk may reduce the result by a day.
      assert.match(
        near.detail,
        /^filling by [\d.]+ [GM]iB a day since \d{4}-\d\d-\d\d: pushes will be refused in [78] days$/,
      )
      assert.equal((await readDiskTrend(directory, 2 ** 62, now)).trend?.daysLeft, 0)
    }))
})
