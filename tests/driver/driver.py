"""Speaks to the driver (driver.c): fclc's commands in a process of one's own, that is started again when a command crashed or
took too long."""
import os
import select
import subprocess


class Driver:
    """command: the words that start the driver."""

    def __init__(self, command):
        self.command, self.process = command, None

    def start(self):
        if not self.process:
            self.process = subprocess.Popen(self.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)

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

    def run(self, words, output, error, timeout):
        """The exit status of a command (words, the program first), minus the signal that ended it; None without an end."""
        self.start()
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
