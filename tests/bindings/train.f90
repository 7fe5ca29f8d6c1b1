! The training of train.c in Fortran, with the module that dlc has written.
!
! Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
! SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
program train
  use, intrinsic :: iso_c_binding
  use mlp
  implicit none
  integer, parameter :: batches = 8, pixels = 784, classes = 10, rows = 50, batch = mlp_batch
  real(c_float), allocatable :: images(:, :), short(:, :)
  real(c_float) :: loss, bias(128), scores(classes, rows)
  real(c_double) :: norm, rate, doubles(128)
  integer(c_int64_t) :: labels(batches * batch), label
  integer(c_int8_t), allocatable :: memory(:)
  character(len=:), allocatable :: folder
  character(len=*), parameter :: epoch = char(195)//char(169)//'poque' ! in UTF-8
  character(len=1000) :: message
  integer :: i, status, length
  type(mlp_options) :: options
  type(mlp_model) :: model, other, third
  type(mlp_metrics) :: metrics

  call get_command_argument(1, length=length)
  allocate (character(len=length) :: folder)
  call get_command_argument(1, folder)
  allocate (images(pixels, batches * batch))
  open (10, file=folder//'/images.bin', access='stream', form='unformatted', status='old')
  read (10) images
  close (10)
  open (10, file=folder//'/labels.bin', access='stream', form='unformatted', status='old')
  read (10) labels
  close (10)

  options%seed = 5
  options%use_seed = .true.
  options%threads = 1
  call model%create(options)
  do i = 0, 23
    call step(model, i)
    call print_bits('loss', loss)
  end do

  call model%grad_step(images(:, :batch), labels(:batch), loss)
  call print_bits('grad_step', loss)
  call model%step_metrics(metrics)
  call print_metrics('step_metrics')
  call model%accumulate(images(:, batch + 1:2 * batch), labels(batch + 1:2 * batch), loss)
  call print_bits('accumulate', loss)
  call model%sync(loss)
  call print_bits('sync', loss)
  call model%grad_norm(norm)
  print '(a, z16.16)', 'norm ', norm
  call model%read_gradient('fc2.bias', bias)
  call print_bits('gradient', bias(128))
  bias(128) = 0.5
  call model%write_gradient('fc2.bias', bias)
  call model%set_learning_rate(0.002_c_double)
  call model%get_learning_rate(rate)
  print '(a, z16.16)', 'rate ', rate
  call model%apply()
  print '(a, i0)', 'steps ', model%step_count()
  call model%read_parameter('fc2.bias', bias)
  call print_bits('parameter', bias(128))
  bias(128) = 0.25
  call model%write_parameter('fc2.bias', bias)

  call model%eval_step(rows, images(:, :rows), labels(:rows), metrics)
  call print_metrics('metrics')
  call predict(model)

  call model%extra_write_number(epoch, 7.25_c_double)
  call model%extra_write_text('data', 'fashion, normalized')
  call model%save(folder//'/state.safetensors')
  call step(model, 0)
  call print_bits('next', loss)
  call model%load(folder//'/state.safetensors')
  call step(model, 0)
  call print_bits('again', loss)
  call model%set_seed(9_c_int64_t)
  call step(model, 1)
  call print_bits('seeded', loss)
  call model%save_to_memory(memory)
  print '(a, i0)', 'bytes ', size(memory)
  call other%create(options)
  call other%step_metrics(metrics, stat=status, errmsg=message)
  call library()
  call other%load_from_memory(memory)
  call entries()
  call predict(other)
  call step(other, 2)
  call print_bits('ahead', loss)
  call model%copy_state(other)
  call predict(model)
  call all_at_once()
  call predict(model)

  label = labels(4)
  labels(4) = 10
  call model%train_step(images(:, :batch), labels(:batch), loss, stat=status, errmsg=message)
  call library()
  labels(4) = label
  call model%set_learning_rate(-1.0_c_double, stat=status, errmsg=message)
  call library()
  call model%load(folder//'/missing', stat=status, errmsg=message)
  call library()
  options%weights_path = folder//'/missing'
  call third%create(options, stat=status, errmsg=message)
  call library()

  allocate (short(pixels - 1, batch))
  short = 0
  call model%train_step(short, labels(:batch), loss, stat=status, errmsg=message)
  call refused()
  call model%train_step(images(:, :batch), labels(:batch + 1), loss, stat=status, errmsg=message)
  call refused()
  call model%predict(0, images(:, :batch), scores, stat=status, errmsg=message)
  call refused()
  call model%predict(65, images(:, :batch), scores, stat=status, errmsg=message)
  call refused()
  call model%predict(1, images(:, :1), scores(:9, :1), stat=status, errmsg=message)
  call refused()
  call model%eval_step(2, images(:, :1), labels(:2), metrics, stat=status, errmsg=message)
  call refused()
  call model%read_parameter('fc9.bias', bias, stat=status, errmsg=message)
  call refused()
  call model%write_parameter('fc2.bias', bias(2:), stat=status, errmsg=message)
  call refused()
  call model%write_gradient('fc2.bias', bias(2:), stat=status, errmsg=message)
  call refused()
  call model%save('a'//c_null_char//'b', stat=status, errmsg=message)
  call refused()
  call model%extra_read_number('a'//c_null_char//'b', norm, stat=status, errmsg=message)
  call refused()
  call model%extra_write_text('data', 'a'//c_null_char//'b', stat=status, errmsg=message)
  call refused()
  call model%parameters_read_all(bias(:3), .true., stat=status, errmsg=message)
  call refused()
  call model%gradients_write_all(bias(:3), stat=status, errmsg=message)
  call refused()
  call model%train_step_begin(short, labels(:batch), stat=status, errmsg=message)
  call refused()
  call predict(model)
  call other%destroy()
  call other%apply(stat=status, errmsg=message)
  call refused()
  doubles = 0
  !wrong type: call model%write_parameter('fc2.bias', doubles)

contains

  subroutine entries()
    character(len=:), allocatable :: content, name
    real(c_double) :: number
    logical :: is_number
    call other%extra_read_number(epoch, number)
    call other%extra_read_text('data', content)
    print '(a, z16.16, 1x, a, 1x, i0)', 'entries ', number, content, other%extra_count()
    call other%extra_name(1_c_int64_t, name, is_number)
    if (name /= epoch .or. .not. is_number) error stop 'expected a number first'
    call other%extra_name(2_c_int64_t, name, is_number)
    if (name /= 'data' .or. is_number) error stop 'expected a text then'
    call other%extra_remove('data')
    print '(a, i0)', 'left ', other%extra_count()
    call other%extra_read_text('data', content, stat=status, errmsg=message)
    call library()
  end subroutine

  subroutine print_metrics(name)
    character(len=*), intent(in) :: name
    print '(a, 1x, z16.16, 1x, z16.16, 1x, i0, 1x, i0)', name, metrics%loss_sum, metrics%loss_weight, metrics%correct, &
      metrics%count
  end subroutine

  subroutine all_at_once()
    integer, parameter :: trained = 235146
    real(c_float), allocatable :: all(:), product(:), input(:, :)
    integer(c_int64_t) :: count
    integer :: slices
    type(mlp_parameter) :: info
    logical :: done
    count = 0
    do i = 1, mlp_parameter_count
      info = mlp_parameter_at(i)
      count = count + number_of(info)
    end do
    allocate (all(count), product(trained))
    call model%parameters_read_all(all, .false.)
    print '(a, z8.8, 1x, z8.8)', 'all ', all(1), all(count)
    all(2) = 0.5
    call model%parameters_write_all(all(:trained), .true.)
    call model%grad_step(images(:, :batch), labels(:batch), loss)
    call model%gradients_read_all(all(:trained))
    call print_bits('gradients', all(trained))
    all(3) = 0.25
    call model%gradients_write_all(all(:trained))
    call model%hvp(rows, images(:, :rows), labels(:rows), all(:trained), product)
    call print_bits('product', product(trained))
    call model%apply()
    call model%train_step_continue(0_c_int64_t, done, stat=status, errmsg=message)
    call library()
    input = images(:, :batch)
    call model%train_step_begin(input, labels(:batch))
    input = 1e30 ! the step has its own
    call model%predict(rows, images(:, :rows), scores, stat=status, errmsg=message)
    call library()
    done = .false.
    slices = 0
    do while (.not. done)
      slices = slices + 1
      call model%train_step_continue(0_c_int64_t, done)
    end do
    call model%sync(loss)
    print '(a, i0, 1x, z8.8)', 'slices ', slices, loss
  end subroutine

  integer(c_int64_t) function number_of(info)
    type(mlp_parameter), intent(in) :: info
    integer :: dimension
    number_of = 1
    do dimension = 1, size(info%extents)
      number_of = number_of * info%extents(dimension)
    end do
  end function

  subroutine step(m, i)
    type(mlp_model), intent(inout) :: m
    integer, intent(in) :: i
    integer :: at
    at = mod(i, batches) * batch
    call m%train_step(images(:, at + 1:at + batch), labels(at + 1:at + batch), loss)
  end subroutine

  subroutine print_bits(name, value)
    character(len=*), intent(in) :: name
    real(c_float), intent(in) :: value
    print '(a, 1x, z8.8)', name, value
  end subroutine

  subroutine predict(m)
    type(mlp_model), intent(inout) :: m
    call m%predict(rows, images(:, :rows), scores)
    print '(a, z8.8, 1x, z8.8)', 'scores ', scores(1, 1), scores(classes, rows)
  end subroutine

  subroutine library()
    if (status == 0) error stop 'nothing was refused'
    print '(a, i0, 2a)', 'library ', status, ': ', trim(message)
  end subroutine

  subroutine refused()
    if (status /= mlp_invalid_argument .and. status /= mlp_not_found) error stop 'nothing was refused'
    print '(2a)', 'refused: ', trim(message)
  end subroutine

end program
