"""Speaks to the driver (driver.c): fclc's commands in a process of one's own, which is started
again when a command crashed or took too long.  TIMES=FILE as for driver.sh."""
import os
import select
import subprocess
import time

TIMES = os.environ.get("TIMES")


class Driver:
    """program: the driver's path, behind that of a program that is to run it and its options if there is one."""

    def __init__(self, *program):
        self.program, self.process = program, None

    def start(self):
        if not self.process:
            pipe = subprocess.PIPE
            self.process = subprocess.Popen(self.program, stdin=pipe, stdout=pipe)

    def stop(self):
        """Its exit status."""
        if not self.process:
            return 0
        self.process.stdin.close()
        self.process.stdout.close()
        status = self.process.wait()
        self.process = None
        return status

    def kill(self):
        if self.process:
            self.process.kill()
            self.process.wait()
            self.process = None

    def spent(self):
        """Seconds of the processor that the process has taken."""
        with open(f"/proc/{self.process.pid}/stat", encoding="utf-8") as f:
            fields = f.read().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")

    def run(self, words, output, error, timeout):
        """The exit status of a command (words, the program first), minus the signal that ended it;
        None without an end."""
        self.start()
        if not TIMES:
            return self.answer(words, output, error, timeout)
        began, spent = time.time(), self.spent()
        status = self.answer(words, output, error, timeout)
        if self.process:
            with open(TIMES, "a", encoding="utf-8") as f:
                print(f"{time.time() - began:.6f} {self.spent() - spent:.2f}", *words, file=f)
        return status

    def answer(self, words, output, error, timeout):
        """What run returns."""
        request = [os.getcwd(), os.devnull, output, error] + words
        request = [str(len(request))] + request
        try:
            self.process.stdin.write(b"".join(word.encode() + b"\0" for word in request))
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # there will be no answer
        if not select.select([self.process.stdout], [], [], timeout)[0]:
            self.kill()
            return None
        answer = self.process.stdout.readline()
        if answer:
            return int(answer)
        status = self.process.wait()
        self.kill()
        return status or 1
